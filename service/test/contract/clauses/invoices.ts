import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { PACKS } from '../../../src/domain/packs.ts'
import { assertMembers, explains } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'
import { INVOICE } from '../members.ts'

const CREATE = '/v1/payments/create-invoice'
const LIST = '/v1/payments/invoices'
const OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel', 'content-type': 'application/json' }
const post = (payload: string, key?: string) => ({
  method: 'POST' as const,
  headers: { ...OUR_PAGES, ...(key !== undefined && { 'idempotency-key': `contract ${key}` }) },
  payload,
})

export const invoiceClauses: readonly Clause[] = [
  clause('4.5', 'An invoice for a pack has its price and payment page; only its owner can read it.', [
    served(
      'member',
      CREATE,
      async ({ body }, scene) => {
        assertMembers(body, INVOICE)
        assert.deepEqual([body.pack, body.priceUsd, body.status], ['credits_10k', 5, 'open'])
        assert.match(body.invoiceUrl, /^https?:\/\//)
        const path = `${LIST}/${body.invoiceId}`
        assert.deepEqual((await scene.ask('member', path)).body, body)
        const foreign = await scene.ask('key maker', path)
        assert.deepEqual([foreign.status, foreign.body.error], [404, 'invoice_not_found'])
      },
      post(JSON.stringify({ pack: 'credits_10k', currency: 'btc' }), 'made'),
    ),
  ]),
  clause('added', 'An account whose tier was set by the operator can not buy another tier: 409.', [
    ...PACKS.filter(({ tier }) => tier !== null).map(({ id }) =>
      refused('key maker', CREATE, [409, 'plan_arranged'], explains(/operator/), post(JSON.stringify({ pack: id }))),
    ),
  ]),
  clause('4.5', 'A body that is not JSON, names no known pack or has unknown members is 400.', [
    ...[
      '',
      '{}',
      '{"pack":"gold"}',
      '{"pack":"credits_10k","priceUsd":1}',
      '{"pack":"credits_10k","currency":"!"}',
    ].map((payload) => refused('member', CREATE, [400, 'invalid_request'], explains(/./), post(payload))),
  ]),
  clause('added', 'An invoice that is unknown, of another account or no id is 404.', [
    ...['0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a', 'nonsense'].map((id) =>
      refused('member', `${LIST}/${id}`, [404, 'invoice_not_found'], explains(/invoice/)),
    ),
  ]),
]

import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { PACKS } from '../../src/domain/packs.ts'
import { assertMembers } from './checks.ts'
import { INVOICE } from './members.ts'
import { type Row, rowsOf } from './row.ts'

const CREATE = '/v1/payments/create-invoice'
const LIST = '/v1/payments/invoices'
const INVOICES = '/v1/payments/invoices/{invoice_id}'
const FROM_OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel', 'content-type': 'application/json' }
/** Per account, so that repeated rows stay below the limit of unpaid invoices. */
const named = (key: string): Record<string, string> => ({ ...FROM_OUR_PAGES, 'idempotency-key': `conformance ${key}` })

const made = rowsOf('4.5', [
  {
    endpoint: CREATE,
    method: 'POST',
    request: CREATE,
    as: 'member',
    headers: named('made'),
    payload: JSON.stringify({ pack: 'credits_10k', currency: 'btc' }),
    shows:
      'An invoice is made at the processor for a pack, with its page and price; its owner, and nobody else, can ask how far it is.',
    status: 200,
    check: async ({ body }, scene) => {
      assertMembers(body, INVOICE)
      assert.deepEqual([body.pack, body.priceUsd, body.status], ['credits_10k', 5, 'open'])
      const path = `/v1/payments/invoices/${body.invoiceId}`
      assert.deepEqual((await scene.ask('member', path)).body, body)
      const foreign = await scene.ask('key maker', path)
      assert.deepEqual([foreign.status, foreign.body.error], [404, 'invoice_not_found'])
      const { invoices } = (await scene.ask('member', LIST)).body
      assert.ok(invoices.some((each: { invoiceId: string }) => each.invoiceId === body.invoiceId))
    },
  },
  {
    endpoint: LIST,
    request: LIST,
    as: 'member',
    shows: 'The invoices of the account are listed, newest first.',
    status: 200,
    check: async ({ body }) => assert.ok(Array.isArray(body.invoices)),
  },
  {
    endpoint: CREATE,
    method: 'POST',
    request: CREATE,
    as: 'member',
    headers: named('again'),
    payload: JSON.stringify({ pack: 'pro_monthly' }),
    shows: 'The same request under the same Idempotency-Key brings the same invoice; another one is 409.',
    status: 200,
    check: async ({ body }, scene) => {
      const again = (pack: string) =>
        scene.ask('member', CREATE, { method: 'POST', headers: named('again'), payload: JSON.stringify({ pack }) })
      assert.deepEqual((await again('pro_monthly')).body, body)
      const other = await again('pro_annual')
      assert.deepEqual([other.status, other.body.error], [409, 'idempotency_mismatch'])
    },
  },
  ...PACKS.filter(({ tier }) => tier !== null).map(
    ({ id }): Omit<Row, 'section'> => ({
      endpoint: CREATE,
      method: 'POST',
      request: CREATE,
      as: 'key maker',
      headers: FROM_OUR_PAGES,
      payload: JSON.stringify({ pack: id }),
      shows: 'A tier that was arranged by hand is not mixed with one that is bought.',
      status: 409,
      error: 'plan_arranged',
    }),
  ),
  ...['', '{}', '{"pack":"gold"}', '{"pack":"credits_10k","priceUsd":1}', '{"pack":"credits_10k","currency":"!"}'].map(
    (payload): Omit<Row, 'section'> => ({
      endpoint: CREATE,
      method: 'POST',
      request: CREATE,
      as: 'member',
      headers: FROM_OUR_PAGES,
      payload,
      shows: 'A body that is none, names no pack or has members that do not exist is refused.',
      status: 400,
      error: 'invalid_request',
    }),
  ),
  ...['0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a', 'nonsense'].map(
    (id): Omit<Row, 'section'> => ({
      endpoint: INVOICES,
      request: `/v1/payments/invoices/${id}`,
      as: 'member',
      shows: 'An invoice that is unknown, foreign or no id at all is 404.',
      status: 404,
      error: 'invoice_not_found',
    }),
  ),
])

const callbacks = rowsOf('added', [
  {
    endpoint: undefined,
    method: 'POST',
    request: '/v1/payments/callbacks/nowpayments',
    as: 'nobody',
    headers: { 'content-type': 'application/json', 'x-nowpayments-sig': '00' },
    payload: '{"payment_status":"finished"}',
    shows: 'A callback of a payment processor that is not signed with a secret of ours is refused.',
    status: 401,
    error: 'signature_refused',
  },
  {
    endpoint: undefined,
    method: 'POST',
    request: '/v1/payments/callbacks/someone',
    as: 'nobody',
    headers: { 'content-type': 'application/json' },
    payload: '{}',
    shows: 'Of a processor that is not known nothing is taken.',
    status: 404,
    error: 'not_found',
  },
])

export const invoiceRows: readonly Row[] = [...made, ...callbacks]

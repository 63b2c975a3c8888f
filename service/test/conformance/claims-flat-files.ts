import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { withParameter } from './asked-endpoints.ts'
import { all, cellsOf, hasHeaders, namesProblem, recordsOf } from './checks.ts'
import { type Check, type Claim, claim } from './claim.ts'
import type { Caller } from './claim-scene.ts'
import { assertNothingLost, envelopeBytes, linkedAddress } from './flat-file.ts'
import { HOLEY_SLOTS } from './holey-market.ts'

const MAX_ENVELOPE_BYTES = 4_096

/** One request of every GET endpoint, with data in it. */
const WITH_A_KEY = [
  '/health',
  '/health/live',
  '/health/ready',
  '/v1/public-stats',
  '/v1/status',
  '/v1/payments/packs',
  '/v1/categories',
  '/v1/markets/live?category=crypto',
  '/v1/markets/by-slug/{holey.slug}',
  '/v1/markets/by-slug/{live.slug}/orderbook',
  '/v1/markets/{live}/orderbook',
  '/v1/markets/{live}/depth',
  '/v1/markets/{holey}/summary',
  '/v1/markets/history/recent?limit=3',
  '/v1/markets/history?limit=3',
  '/v1/markets/{holey}/snapshots?limit=4',
  '/v1/markets/{holey}/snapshots?from={holey.first}&limit=7',
  '/v1/markets/{holey}/snapshots?dry_run=true',
  '/v1/markets/{holey}/gaps?limit=3',
  '/v1/markets/{holey}/bars?interval=1s&limit=5',
  '/v1/markets/{holey}/export?hour={holey.hour}&part=gaps',
  '/v1/markets/{live}/execution?side=UP&action=buy&size=5',
  '/v1/trades?marketId={holey}&limit=3',
  '/v1/asof?timestamp={holey.first}&markets={holey},{live},nothing',
  '/api/snapshot?timestamp={holey.first}&marketId={holey}',
  '/api/snapshot/latest',
  '/api/debug',
  '/v1/stats',
  '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp',
  '/v1/exchange/snapshots?symbol=BTC&limit=3&order=asc',
  '/v1/limits',
  '/v1/usage',
  '/v1/api-keys/validate',
]
const WITH_A_SESSION = ['/v1/user/tier', '/v1/payments/subscription']
const FROM_OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel', 'content-type': 'application/json' }

const nothingLost =
  (as: Caller, request: string, format: 'csv' | 'tsv'): Check =>
  async ({ body: before }, scene) => {
    const file = await scene.ask(as, withParameter(request, `format=${format}`))
    assert.equal(file.status, 200, file.text)
    const { body: after } = await scene.ask(as, request)
    assertNothingLost(before, file, after, format === 'csv' ? ',' : '\t')
    assert.ok(envelopeBytes(file) <= MAX_ENVELOPE_BYTES, `${envelopeBytes(file)} bytes of headers`)
  }

const quoted: Check = async ({ text }, scene) => {
  const { body } = await scene.ask('scale', '/v1/markets/by-slug/{holey.slug}')
  const [row] = recordsOf(text, ',')
  assert.deepEqual([row?.question, row?.label], [`'${body.question}`, `'${body.label}`])
  assert.deepEqual([row?.slug, row?.market_id], [body.slug, body.market_id])
}

const unchanged =
  (delimiter: ',' | '\t'): Check =>
  async ({ text }, scene) => {
    const { body } = await scene.ask('scale', '/v1/markets/by-slug/{holey.slug}')
    assert.ok(body.question.startsWith('=') && body.label.startsWith('-'))
    const [row] = recordsOf(text, delimiter)
    assert.deepEqual([row?.question, row?.label], [body.question, body.label])
  }

export const flatFileClaims: readonly Claim[] = [
  claim('4.2', 'flat.nothing-lost', 'A flat file and its headers have every member of the JSON answer.', [
    ...WITH_A_KEY.flatMap((request) =>
      (['csv', 'tsv'] as const)
        .slice(0, request.includes('{holey}') ? 2 : 1)
        .map((format) => ({ as: 'scale' as const, request, check: nothingLost('scale', request, format) })),
    ),
    ...WITH_A_SESSION.map((request) => ({
      as: 'scale member' as const,
      request,
      check: nothingLost('scale member', request, 'csv'),
    })),
    {
      as: 'scale member',
      method: 'POST',
      request: '/v1/payments/create-invoice',
      headers: FROM_OUR_PAGES,
      payload: JSON.stringify({ pack: 'credits_10k' }),
      check: async ({ body: { invoiceId } }, scene) => {
        for (const request of ['/v1/payments/invoices', `/v1/payments/invoices/${invoiceId}`]) {
          await nothingLost('scale member', request, 'csv')(await scene.ask('scale member', request), scene)
        }
      },
    },
    {
      as: 'scale member',
      method: 'POST',
      request: '/v1/api-keys',
      headers: FROM_OUR_PAGES,
      payload: JSON.stringify({ label: '-1+1', scopes: ['live', 'stream'], creditLimit: 7 }),
      status: 201,
      check: async (_, scene) => {
        const listed = await scene.ask('scale member', '/v1/api-keys')
        assert.equal(listed.body.length, 1)
        await nothingLost('scale member', '/v1/api-keys', 'csv')(listed, scene)
      },
    },
  ]),
  claim('4.2', 'flat.values', 'Objects and short lists of the envelope are compact JSON; null is not sent.', [
    {
      as: 'scale',
      request: '/v1/payments/packs?format=csv',
      check: async ({ headers }, scene) => {
        const { body } = await scene.ask('nobody', '/v1/payments/packs')
        assert.equal(headers['x-tiers'], JSON.stringify(body.tiers))
        assert.equal(headers.link, undefined)
      },
    },
    {
      as: 'scale',
      request: '/v1/markets/{holey}/snapshots?from={holey.first}&limit=4&format=tsv',
      check: async ({ headers }, scene) => {
        const { body } = await scene.ask('scale', '/v1/markets/{holey}/snapshots?from={holey.first}&limit=4')
        assert.ok(body.gaps.length > 0 && body.coverage.share < 1)
        assert.equal(headers['x-gaps'], JSON.stringify(body.gaps))
        assert.equal(headers['x-coverage'], JSON.stringify(body.coverage))
        assert.equal(headers['x-next-cursor'], body.next_cursor)
      },
    },
    {
      as: 'scale',
      request: '/v1/markets/{holey}/snapshots?from={holey.first}&limit=500&format=csv',
      check: ({ headers }) => assert.equal(headers['x-next-cursor'], undefined),
    },
    {
      as: 'scale',
      request: '/v1/markets/{holey}/snapshots?from={holey.first}&limit=4&format=parquet',
      check: async ({ headers }, scene) => {
        const { body } = await scene.ask('scale', '/v1/markets/{holey}/snapshots?from={holey.first}&limit=4')
        assert.equal(headers['x-gaps'], JSON.stringify(body.gaps))
        assert.equal(headers['x-coverage'], JSON.stringify(body.coverage))
      },
    },
  ]),
  claim(
    '4.2',
    'flat.long-lists',
    'A list that is too long for a header is sent as its length, with a link to the JSON.',
    [
      ...(['csv', 'tsv', 'parquet'] as const).map((format) => ({
        as: 'scale' as const,
        request: `/v1/markets/{holey}/snapshots?from={holey.first}&limit=500&includebook=false&format=${format}`,
        check: (async (file, scene) => {
          assert.deepEqual([file.headers['x-gaps-count'], file.headers['x-gaps']], [String(HOLEY_SLOTS / 2), undefined])
          assert.ok(envelopeBytes(file) <= MAX_ENVELOPE_BYTES)
          const address = linkedAddress(file) ?? ''
          assert.match(address, /^\/v1\/markets\/0x[0-9a-f]{64}\/snapshots\?.*format=json$/)
          const { body } = await scene.ask('scale', address)
          assert.equal(body.gaps.length, HOLEY_SLOTS / 2)
          assert.equal(file.headers['x-coverage'], JSON.stringify(body.coverage))
        }) satisfies Check,
      })),
      {
        as: 'scale',
        request: '/v1/markets/{holey}/snapshots?from={holey.first}&limit=500&format=csv&spreadsheet_safe=true',
        check: async (file, scene) => {
          const { status, body } = await scene.ask('scale', linkedAddress(file) ?? '')
          assert.deepEqual([status, body.gaps.length], [200, HOLEY_SLOTS / 2])
        },
      },
    ],
  ),
  claim('4.2', 'flat.unchanged', 'Files contain the data unchanged, also text that begins like a formula.', [
    { as: 'scale', request: '/v1/markets/by-slug/{holey.slug}?format=csv', check: unchanged(',') },
    { as: 'scale', request: '/v1/markets/by-slug/{holey.slug}?format=tsv', check: unchanged('\t') },
    {
      as: 'scale',
      request: '/v1/markets/by-slug/{holey.slug}?format=csv&spreadsheet_safe=false',
      check: unchanged(','),
    },
  ]),
  claim(
    'added',
    'flat.spreadsheet-safe',
    'spreadsheet_safe=true writes a quote before text that a spreadsheet would run.',
    [
      { as: 'scale', request: '/v1/markets/by-slug/{holey.slug}?format=csv&spreadsheet_safe=true', check: quoted },
      {
        as: 'scale',
        request: '/v1/markets/{live}/execution?side=UP&action=sell&size=5&format=csv&spreadsheet_safe=true',
        check: ({ text }) => {
          const [header = [], row = []] = cellsOf(text, ',')
          assert.equal(row[header.indexOf('action')], 'sell')
          assert.ok(!text.includes("'"), 'numbers stay numbers')
        },
      },
      ...['format=json&spreadsheet_safe=true', 'spreadsheet_safe=true', 'spreadsheet_safe=false'].map((query) => ({
        as: 'scale' as const,
        request: `/v1/categories?${query}`,
        status: 400,
        error: 'invalid_request' as const,
        check: all(namesProblem('spreadsheet_safe'), ({ body }) =>
          assert.match(body.message, /with format=csv or format=tsv, got format=json/),
        ),
      })),
      {
        as: 'scale',
        request: '/v1/categories?format=csv&spreadsheet_safe=yes',
        status: 400,
        error: 'invalid_request',
        check: namesProblem('spreadsheet_safe'),
      },
      {
        as: 'scale',
        request: '/v1/categories?format=csv&spreadsheet_safe=true',
        check: hasHeaders({ 'content-type': 'text/csv; charset=utf-8' }),
      },
    ],
  ),
]

import assert from 'node:assert/strict'
import { hasHeaders, isLike, namesProblem } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

const INVALID = [400, 'invalid_request'] as const
const HOUR_MS = 3_600_000
const LONG_AGO = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'

const post = (body: object) => ({
  method: 'POST' as const,
  headers: { 'content-type': 'application/json' },
  payload: JSON.stringify(body),
})
const HOURS = { product: 'hours', from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }

interface Counted {
  readonly expected_slots: number
  readonly stored_slots: number
  readonly missing_slots: number
}

function assertSum({ parts, coverage }: { readonly parts: readonly Counted[]; readonly coverage: Counted }): void {
  assert.ok(parts.length > 0)
  for (const figure of ['expected_slots', 'stored_slots', 'missing_slots'] as const)
    assert.equal(
      parts.reduce((sum, part) => sum + part[figure], 0),
      coverage[figure],
    )
}

export const coverageClauses: readonly Clause[] = [
  clause('added', 'The coverage of a market by hour and by day has the same sums.', [
    served('pro', '/v1/markets/{closed}/coverage', ({ body }) => assertSum(body)),
    served('pro', '/v1/markets/{closed}/coverage?by=hour', async ({ body }, scene) => {
      assertSum(body)
      const { body: days } = await scene.ask('pro', '/v1/markets/{closed}/coverage?by=day')
      assert.deepEqual(days.coverage, body.coverage)
    }),
    served('enterprise', `/v1/markets/{closed}/coverage?by=hour&${LONG_AGO}`, ({ body }) => {
      assert.deepEqual([body.parts, body.empty_reason], [[], 'outside_capture'])
    }),
  ]),
  clause('added', 'Everybody may see how complete all markets are; nothing recorded is no part.', [
    served('nobody', '/v1/coverage?by=day', ({ body }) => assert.equal(body.venue, 'all')),
    served('nobody', `/v1/coverage?by=hour&venue=polymarket&category=crypto&${LONG_AGO}`, ({ body }) => {
      assert.deepEqual([body.parts, body.empty_reason], [[], 'outside_capture'])
      assert.deepEqual([body.venue, body.category], ['polymarket', 'crypto'])
    }),
  ]),
  clause('added', 'A tile has 256 columns that start at a multiple of their length.', [
    served('pro', '/v1/markets/{closed}/heatmap?from={row.7}&side=DOWN&column_ms=4000&price_step=0.05', ({ body }) => {
      const { columns, rows, column_ms: columnMs, stored, expected } = body
      assert.deepEqual([columns, rows, stored.length, expected.length], [256, 20, 256, 256])
      assert.equal(Date.parse(body.from) % (columns * columnMs), 0)
      for (const side of [body.bids, body.asks]) assert.equal(Buffer.from(side, 'base64').length, columns * rows)
      assert.ok(stored.some((slots: number) => slots > 0))
    }),
    refused('pro', '/v1/markets/{closed}/heatmap?from={hour}&column_ms=3', INVALID, namesProblem('column_ms')),
  ]),
  clause('added', 'A column of a tile counts as an exact book when it is fine, else the tile is free.', [
    served('pro', '/v1/markets/{closed}/heatmap?from={row.7}&column_ms=1000', hasHeaders({ 'x-exact-books': '0' })),
    ...(
      [
        [250, '40'],
        [500, '20'],
      ] as const
    ).map(([columnMs, books]) =>
      served(
        'pro',
        `/v1/markets/{closed}/heatmap?from={row.7}&column_ms=${columnMs}`,
        hasHeaders({ 'x-credits-cost': '0', 'x-exact-books': books }),
      ),
    ),
    refused(
      'no credits',
      '/v1/markets/{closed}/heatmap?from={row.7}&column_ms=250',
      [402, 'out_of_credits'],
      isLike({ details: { credits_needed: 1, credits_remaining: 0 } }),
    ),
  ]),
  clause('added', 'The coverage of a perp by hour and by day has the same sums.', [
    served(
      'pro',
      '/v1/exchange/coverage?symbol=BTC&exchange=hyperliquid&by=hour&from={perp.first}&to={perp.end}',
      async ({ body }, scene) => {
        const days = await scene.ask('pro', '/v1/exchange/coverage?symbol=BTC&by=day&from={perp.first}&to={perp.end}')
        const stored = (parts: readonly Counted[]): number => parts.reduce((sum, part) => sum + part.stored_slots, 0)
        assert.ok(stored(body.parts) > 0)
        assert.ok(stored(days.body.parts) >= stored(body.parts))
      },
    ),
  ]),
  clause('added', 'A tile of a perp has the prices of its books as rows.', [
    served(
      'pro',
      '/v1/exchange/heatmap?symbol=BTC&exchange=hyperliquid&from={perp.first}&column_ms=4000&price_step=50',
      ({ body }) => {
        const { columns, rows } = body
        assert.deepEqual([columns, body.price_step, body.price_from % 50], [256, 50, 0])
        for (const side of [body.bids, body.asks]) assert.equal(Buffer.from(side, 'base64').length, columns * rows)
      },
    ),
  ]),
  clause('added', 'An estimate of hours says what the file of the hour says.', [
    served('scale', '/v1/markets/{closed}/export?hour={hour}&dry_run=true', async ({ body: file }, scene) => {
      const from = scene.value('hour')
      const hour = { from, to: new Date(Date.parse(from) + HOUR_MS).toISOString() }
      const request = { product: 'hours', markets: [scene.value('closed')], ...hour }
      const { body } = await scene.ask('scale', '/v1/estimate', post(request))
      assert.deepEqual([body.rows, body.credits, body.files], [file.rows, file.credits, 1])
    }),
    served(
      'pro',
      '/v1/estimate',
      ({ body }) => assert.equal(body.empty_reason, 'outside_capture'),
      post({ ...HOURS, category: 'crypto' }),
    ),
  ]),
]

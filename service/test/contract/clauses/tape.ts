import assert from 'node:assert/strict'
import { isLike, needsTiers } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

interface Series {
  readonly path: string
  readonly member: string
  readonly time: string
}

/** The lists about a perp beside its books. */
const SERIES: readonly Series[] = [
  { path: 'trades', member: 'trades', time: 'traded_at' },
  { path: 'funding', member: 'funding', time: 'received_at' },
  { path: 'open-interest', member: 'open_interest', time: 'received_at' },
  { path: 'prices', member: 'prices', time: 'received_at' },
]
const COIN = '/v1/prices?coin=BTC&source=chainlink'

function clausesOf({ path, member, time }: Series): Clause[] {
  const list = `/v1/exchange/${path}`
  type Body = Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
  const timesOf = (body: Body): number[] => (body[member] ?? []).map((row) => Date.parse(row[time] ?? ''))
  return [
    clause('added', `\`from\` of ${path} is inclusive, \`to\` exclusive.`, [
      served('pro', `${list}?symbol=BTC&from={perp.3}&to={perp.7}`, ({ body }, scene) => {
        const first = Number(scene.value('perp.first.ms'))
        assert.deepEqual(
          timesOf(body),
          [3, 4, 5, 6].map((index) => first + index * 500),
        )
      }),
    ]),
    clause('added', `The last 60 seconds of ${path} are for tiers with the live exchange book.`, [
      served('pro', `${list}?symbol=BTC&limit=1`, async ({ body }, scene) => {
        const endMs = Date.parse(body.restricted_from)
        assert.ok(timesOf(body).every((at) => at < endMs))
        const { body: mine } = await scene.ask('scale', `${list}?symbol=BTC&limit=1`)
        assert.ok((timesOf(mine)[0] ?? 0) > endMs)
      }),
      refused(
        'pro',
        `${list}?symbol=BTC&from={two_seconds_ago}`,
        [403, 'tier_not_allowed'],
        needsTiers('scale', 'enterprise'),
      ),
    ]),
  ]
}

const BARS = '/v1/exchange/bars'
const GAPS = '/v1/exchange/gaps'
const COVERAGE = '/v1/exchange/coverage'
const COVERAGE_NOW = `${COVERAGE}?symbol=BTC&by=hour`
const HEATMAP = '/v1/exchange/heatmap?symbol=BTC'

const slotClauses: readonly Clause[] = [
  clause('added', 'Bars of a perpetual future cover every slot, at most `limit` on a page.', [
    served(
      'pro',
      `${BARS}?symbol=BTC&from={perp.first}&to={perp.end}&interval=1s&limit=200`,
      async ({ body }, scene) => {
        const path = `${BARS}?symbol=BTC&exchange=hyperliquid&from={perp.first}&to={perp.end}&interval=1s&limit=200`
        const { body: next } = await scene.ask('pro', `${path}&cursor=${body.next_cursor}&format=json`)
        const bars = [...body.bars, ...next.bars]
        assert.equal(body.bars.length, 200)
        assert.equal(next.next_cursor, null)
        const starts = bars.map(({ start }: { start: string }) => Date.parse(start))
        assert.ok(starts.every((at, index) => index === 0 || at === (starts[index - 1] ?? 0) + 1_000))
        assert.ok(bars.every((bar: { snapshot_count: number }) => bar.snapshot_count <= 2))
        assert.ok(bars.filter((bar: { snapshot_count: number }) => bar.snapshot_count === 2).length > 200)
      },
    ),
  ]),
  clause('added', 'Gaps of a perpetual future count the slots of the range.', [
    served('pro', `${GAPS}?symbol=BTC&exchange=hyperliquid&from={perp.first}&to={perp.end}&format=json`, ({ body }) => {
      assert.ok(body.coverage.expected_slots >= 519 && body.coverage.share === 1)
      assert.deepEqual([body.gaps, body.unaccounted_slots], [[], 0])
    }),
    ...['kind=suspect', 'cause=resync'].map((query) =>
      served('pro', `${GAPS}?symbol=BTC&from={perp.first}&to={perp.end}&${query}`, isLike({ gaps: [] })),
    ),
  ]),
  clause(
    'added',
    'The last 60 seconds of bars, gaps, coverage and heat maps are for tiers with the live exchange book.',
    [
      ...[BARS, GAPS, COVERAGE].map((path) =>
        refused(
          'pro',
          `${path}?symbol=BTC&from={two_seconds_ago}`,
          [403, 'tier_not_allowed'],
          needsTiers('scale', 'enterprise'),
        ),
      ),
      served('pro', COVERAGE_NOW, async ({ body }, scene) => {
        assert.equal(Date.parse(body.restricted_from), scene.nowMs - 60_000)
        assert.equal((await scene.ask('scale', COVERAGE_NOW)).body.restricted_from, undefined)
      }),
      served('pro', `${HEATMAP}&from={perp.first}`, async (_, scene) => {
        // The tile starts before the last minute, and ends after it but for a few seconds of each tile.
        const tile = `${HEATMAP}&column_ms=128000&from=${scene.nowMs - 70_000}`
        const { body } = await scene.ask('pro', tile)
        const endMs = Date.parse(body.from) + body.columns * body.column_ms
        assert.equal(body.restricted_from !== undefined, endMs > scene.nowMs - 60_000)
        assert.equal((await scene.ask('scale', tile)).body.restricted_from, undefined)
      }),
    ],
  ),
]

export const tapeClauses: readonly Clause[] = [
  ...SERIES.flatMap(clausesOf),
  ...slotClauses,
  clause('added', 'Prices of a coin come from one source, in the order and the range that is asked.', [
    served('pro', `${COIN}&limit=3`, async ({ body }, scene) => {
      assert.deepEqual([body.kind, body.prices.length], ['spot', 3])
      const at = body.prices.map(({ price_at }: { price_at: string }) => price_at)
      const { body: rising } = await scene.ask('pro', `${COIN}&from=${at[2]}&to=${at[0]}&order=asc&format=json`)
      assert.deepEqual(
        rising.prices.map(({ price_at }: { price_at: string }) => price_at),
        [at[2], at[1]],
      )
      const next = await scene.ask('pro', `${COIN}&limit=3&cursor=${body.next_cursor}`)
      assert.ok(next.body.prices[0]?.price_at < at[2])
    }),
    served(
      'pro',
      '/v1/prices?coin=eth&source=binance&limit=1',
      isLike({ coin: 'ETH', source: 'binance', kind: 'spot' }),
    ),
  ]),
]

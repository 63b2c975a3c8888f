import {
  archive,
  CALM,
  list,
  madeMarket,
  madeRow,
  stopMerges,
  storeFacts,
  storeSettlements,
} from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mirrorOf } from '../../src/domain/book.ts'
import { SNAPSHOT_FLAGS, type Snapshot } from '../../src/domain/rows/snapshot.ts'
import { listLiveMarkets } from '../../src/endpoints/markets/list-live-markets.ts'
import { figuresOf } from '../../src/endpoints/schemas/book-figures.ts'
import { perpReads } from '../../src/endpoints/shared/perp-reads.ts'
import { LiveCatalogue } from '../../src/stores/markets/live-catalogue.ts'

let service: TestService
let key: string

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const nowMs = WORLD_NOW_MS
const LIVE = '/v1/markets/live'
const HISTORY = ['/v1/markets/history', '/v1/markets/history/recent']

const windowOf = (endsAtMs: number) =>
  ({ timeframe: '15m', outcomeNames: ['Up', 'Down'], startsAtMs: endsAtMs - 15 * MINUTE_MS, endsAtMs }) as const
const game = { category: 'sports', subcategory: 'NBA', timeframe: 'game', planId: 'sports' } as const

const won = madeMarket('won', windowOf(nowMs - HOUR_MS))
const split = madeMarket('split', { ...game, endsAtMs: nowMs - HOUR_MS })
const running = madeMarket('running', windowOf(nowMs + 5 * MINUTE_MS))
const plain = madeMarket('plain', { ...game, endsAtMs: nowMs + HOUR_MS })
/** Its facts and rows are stored, but PostgreSQL does not know it. */
const forgotten = madeMarket('forgotten', windowOf(nowMs - 2 * HOUR_MS))
const settling = ['a', 'b', 'c'].map((name, index) =>
  madeMarket(`settling ${name}`, { startsAtMs: nowMs - 2 * HOUR_MS, endsAtMs: nowMs - HOUR_MS - index }),
)
const bare = madeMarket('bare')
const summed = madeMarket('summed')

const START_MS = Math.floor((nowMs - 2 * HOUR_MS) / 1_000) * 1_000
/** Of slots 0 to 6, the fourth missing: mirrored, not mirrored, one-sided, crossed, with and without a price. */
const rows: Snapshot[] = [
  madeRow(summed, { atMs: START_MS, spotUsd: 600.5, flags: SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown }),
  madeRow(summed, { atMs: START_MS + 250, spotUsd: 601, flags: SNAPSHOT_FLAGS.verifiedUp }),
  madeRow(summed, {
    atMs: START_MS + 500,
    up: { bids: [{ price: 6_000, size: 10_000_000 }], asks: [{ price: 6_200, size: 2_500_000 }] },
    down: { bids: [{ price: 3_700, size: 4_000_000 }], asks: [{ price: 4_100, size: 1_000_000 }] },
  }),
  madeRow(summed, { atMs: START_MS + 1_000, up: { bids: [], asks: CALM.asks }, flags: SNAPSHOT_FLAGS.oneSided }),
  madeRow(summed, { atMs: START_MS + 1_250, up: { bids: CALM.bids, asks: [] }, flags: SNAPSHOT_FLAGS.oneSided }),
  madeRow(summed, {
    atMs: START_MS + 1_500,
    up: { bids: [{ price: 5_500, size: 1_000_000 }], asks: [{ price: 5_400, size: 3_000_000 }] },
    flags: SNAPSHOT_FLAGS.crossed,
  }),
]

const resolvedAtMs = nowMs - 50 * MINUTE_MS
const instant = (atMs: number) => new Date(atMs).toISOString()
const usd = (units: number) => BigInt(units) * 10n ** 18n
const WON = {
  resolved_outcome: 'DOWN',
  resolved_at: instant(resolvedAtMs),
  price_to_beat: 600,
  price_to_beat_source: 'polymarket',
  price_to_beat_at: instant(won.startsAtMs ?? 0),
  settlement_price: 590,
  settlement_price_source: 'twap60',
  settlement_price_at: instant(won.endsAtMs),
}
const NAMES = Object.keys(WON)
const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('enterprise')
  const known = [won, split, running, plain]
  const resolutions = [{ marketId: won.id, winner: 1, resolvedAtMs } as const, { marketId: split.id, resolvedAtMs }]
  await list(service, [...known, ...settling, bare, summed], resolutions)
  await storeFacts(service, [...known, forgotten, summed])
  await stopMerges(service)
  await archive(service, rows)
  await archive(service, rows)
  const last = (endsAtMs: number) => ({ atMs: Math.min(endsAtMs - MINUTE_MS, nowMs) })
  await archive(
    service,
    [...known, forgotten].map((market) => madeRow(market, last(market.endsAtMs))),
  )
  const startsAtMs = won.startsAtMs ?? 0
  const start = { point: 'start', settlesAtMs: startsAtMs, priceAtMs: startsAtMs, knownAtMs: nowMs } as const
  const end = { point: 'end', settlesAtMs: won.endsAtMs, priceAtMs: won.endsAtMs, knownAtMs: nowMs } as const
  await storeSettlements(service, [
    { ...start, marketId: won.id, source: 'binance', price: usd(601) },
    { ...start, marketId: won.id, source: 'polymarket', price: usd(600) },
    { ...end, marketId: won.id, source: 'twap60', price: usd(590) },
    { ...start, marketId: running.id, source: 'twap60', price: usd(605) },
    { ...start, marketId: forgotten.id, source: 'twap60', price: usd(610) },
  ])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, as = key) => service.ask(path, { key: as })

/** The members of results of each entry, in the names of the history lists. */
async function resultsOf(path: string): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const { status, body, text } = await ask(path)
  expect(status, text).toBe(200)
  const entries: Record<string, unknown>[] = Array.isArray(body) ? body : body.markets
  return new Map(
    entries.map((entry) => [
      String(entry.conditionId ?? entry.market_id),
      Object.fromEntries(
        NAMES.flatMap((name) =>
          [name, camel(name)].flatMap((member) => (member in entry ? [[name, entry[member]]] : [])),
        ),
      ),
    ]),
  )
}

describe(LIVE, () => {
  test('a resolved market has its outcome and the prices that decided it, those of the venue first', async () => {
    const found = await resultsOf(`${LIVE}?status=expired&limit=500&results=true`)
    expect(found.get(won.id)).toEqual(WON)
    expect(found.get(split.id)).toEqual({ resolved_outcome: 'SPLIT', resolved_at: instant(resolvedAtMs) })
  })

  test('an open window has only the price to beat, and a game has nothing', async () => {
    const found = await resultsOf(`${LIVE}?limit=500&results=true`)
    expect(found.get(running.id)).toMatchObject({ price_to_beat: 605, price_to_beat_source: 'twap60' })
    expect(Object.keys(found.get(running.id) ?? {})).toHaveLength(3)
    expect(found.get(plain.id)).toEqual({})
  })

  test('ended markets are listed by id', async () => {
    const query = `${LIVE}?status=settling&subcategory=BNB&timeframe=hit-price`
    const ids = settling.map(({ id }) => id).toSorted()
    expect([...(await resultsOf(query)).keys()]).toEqual(ids)
    expect([...(await resultsOf(`${query}&limit=1&offset=1`)).keys()]).toEqual(ids.slice(1, 2))
  })

  test('resolved markets, which are read from PostgreSQL, are limited by the tier', async () => {
    expect((await resultsOf(`${LIVE}?status=expired&category=sports`)).has(split.id)).toBe(true)
    const { body, headers } = await ask(`${LIVE}?status=expired&timeframe=game`, await service.keyOf('free'))
    expect([body, headers['x-empty-reason'], headers['x-limit']]).toEqual([[], 'tier', '5000'])
  })

  test('before the catalogue is loaded the list is refused, not empty', async () => {
    const catalogue = new LiveCatalogue({ markets: service.stores.markets, plans: async () => [] })
    const asked = listLiveMarkets.handle({
      params: {},
      query: { venue: 'polymarket', results: false },
      body: undefined,
      caller: undefined,
      stores: { ...service.stores, catalogue },
      perps: perpReads(service.stores, 'free', nowMs),
      nowMs,
      signal: AbortSignal.timeout(5_000),
      require: () => {},
    })
    await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

describe.each(HISTORY)('%s', (path) => {
  test('lists the markets that have rows, as they were recorded', async () => {
    const { body } = await ask(path)
    const entryOf = ({ id }: { id: string }) =>
      body.markets.find(({ market_id }: { market_id: string }) => market_id === id)
    expect(entryOf(summed)).toEqual({
      crypto: 'BNB',
      timeframe: 'hit-price',
      market_id: summed.id,
      category: 'crypto',
      subcategory: 'BNB',
      first_seen: instant(START_MS),
      last_seen: instant(START_MS + 1_500),
      snapshot_count: '12',
      is_live: true,
      end_date: instant(summed.endsAtMs),
      question: summed.question,
      slug: summed.slug,
      venue: summed.venue,
      share: 0.857142,
    })
    expect([entryOf(won).is_live, entryOf(forgotten).is_live, entryOf(bare)]).toEqual([false, false, undefined])
  })

  test('a market has its outcome and its prices as far as they are known', async () => {
    const found = await resultsOf(`${path}?limit=500&results=true`)
    expect(found.get(won.id)).toEqual(WON)
    expect(found.get(split.id)).toEqual({ resolved_outcome: 'SPLIT', resolved_at: instant(resolvedAtMs) })
    expect(found.get(running.id)).toMatchObject({ price_to_beat: 605 })
    expect(found.get(plain.id)).toEqual({})
    expect(found.get(forgotten.id)).toMatchObject({ price_to_beat: 610 })
  })

  test('a request without results is not changed by one with results', async () => {
    await resultsOf(`${path}?limit=500&results=true`)
    const found = await resultsOf(`${path}?limit=500`)
    expect([...found.values()].every((result) => Object.keys(result).length === 0)).toBe(true)
  })
})

describe('a summary', () => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

  test('is computed from the rows, each slot once, the other token by its own ladders or the mirror', async () => {
    const { body } = await ask(`/v1/markets/${summed.id}/summary`)
    const [up, down] = [rows.map((row) => figuresOf(row.up)), rows.map((row) => figuresOf(row.down))]
    expect(body).toMatchObject({
      market_id: summed.id,
      label: summed.label,
      question: summed.question,
      snapshot_count: 12,
      first_seen: instant(START_MS + 2),
      last_seen: instant(START_MS + 1_502),
      min_crypto_price: 600.5,
      max_crypto_price: 601,
      avg_crypto_price: 600.75,
      min_mid_price: Math.min(...up.map(({ mid }) => mid)),
      max_mid_price: Math.max(...up.map(({ mid }) => mid)),
      min_spread: -0.01,
      max_spread: Math.max(...up.map(({ spread }) => spread)),
      coverage: { expected_slots: 7, stored_slots: 6, missing_slots: 1, share: 0.857142 },
      proof: 'hash',
      verified_slots: 1,
      unverified_slots: 5,
      crossed_slots: 1,
      window: { from: instant(START_MS), to: instant(START_MS + 1_750) },
    })
    expect(body.avg_mid_price).toBeCloseTo(mean(up.map(({ mid }) => mid)), 7)
    expect(body.avg_spread).toBeCloseTo(mean(up.map(({ spread }) => spread)), 7)
    expect(body.avg_bid_depth).toBeCloseTo(mean(up.map(({ bidDepth }) => bidDepth)), 5)
    expect(body.avg_ask_depth).toBeCloseTo(mean(up.map(({ askDepth }) => askDepth)), 5)
    for (const [index, figures] of [up, down].entries()) {
      const side = body.sides[index]
      expect(side).toMatchObject({
        token_side: index === 0 ? 'UP' : 'DOWN',
        snapshots: 6,
        max_bid: Math.max(...figures.map(({ bestBid }) => bestBid)),
        min_ask: Math.min(...figures.map(({ bestAsk }) => bestAsk)),
      })
      expect(side.avg_bid).toBeCloseTo(mean(figures.map(({ bestBid }) => bestBid)), 7)
      expect(side.avg_ask).toBeCloseTo(mean(figures.map(({ bestAsk }) => bestAsk)), 7)
      expect(side.avg_mid).toBeCloseTo(mean(figures.map(({ mid }) => mid)), 7)
    }
    expect(rows[2]?.down).not.toEqual(mirrorOf(rows[2]?.up ?? CALM))
  })

  test('of a market without rows is empty with a reason', async () => {
    const { headers, body } = await ask(`/v1/markets/${bare.id}/summary`)
    expect(headers['x-empty-reason']).toBe('not_recorded_yet')
    expect(body).toMatchObject({ snapshot_count: 0, avg_mid_price: null, sides: [], window: null })
  })
})

import {
  archive,
  CALM,
  frozenMarket,
  list,
  madeRow,
  stopMerges,
  storeFacts,
} from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mirrorOf } from '../../src/domain/book.ts'
import { SNAPSHOT_FLAGS, type Snapshot } from '../../src/domain/rows/snapshot.ts'
import { figuresOf } from '../../src/endpoints/schemas/book-figures.ts'

let service: TestService
let key: string
let free: string

const HOUR_MS = 3_600_000
const nowMs = WORLD_NOW_MS
let laterMs = 0
const summed = frozenMarket('summed')
const old = frozenMarket('old', { endsAtMs: nowMs - 40 * HOUR_MS })
const partlyOld = frozenMarket('partly old', { captureIntervalMs: 3_000 })
const bare = frozenMarket('bare')
const game = frozenMarket('game', { category: 'sports', subcategory: 'NBA', timeframe: 'game', planId: 'sports' })
const forgotten = frozenMarket('forgotten')
const late = frozenMarket('late')

const START_MS = Math.floor((nowMs - 2 * HOUR_MS) / 1_000) * 1_000
/** Slots 0 to 6, the fourth missing: mirrored, not mirrored, one-sided, crossed, with and without a price. */
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

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen', nowMs: () => WORLD_NOW_MS + laterMs })
  key = await service.keyOf('enterprise')
  free = await service.keyOf('free')
  await list(service, [summed, old, partlyOld, bare, game, late])
  await storeFacts(service, [summed, old, partlyOld, game, forgotten, late])
  await stopMerges(service)
  await archive(service, rows)
  await archive(service, rows)
  await archive(service, [madeRow(old, { atMs: nowMs - 41 * HOUR_MS })])
  await archive(service, [madeRow(partlyOld, { atMs: nowMs - 41 * HOUR_MS })])
  // At the same time of two days, which are two rows.
  await archive(service, [madeRow(partlyOld, { atMs: nowMs - 25 * HOUR_MS })])
  await archive(service, [madeRow(partlyOld, { atMs: nowMs - HOUR_MS })])
  await archive(service, [madeRow(game, { atMs: nowMs - HOUR_MS }), madeRow(forgotten, { atMs: nowMs - HOUR_MS })])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

describe('GET /v1/markets/{id}/summary', () => {
  const summary = (id: string, as = key) => service.ask(`/v1/markets/${id}/summary`, { key: as })

  test('its values are computed from the rows, each slot once, the other token by its own ladders or the mirror', async () => {
    const { status, body } = await summary(summed.id)
    expect(status).toBe(200)
    const [up, down] = [rows.map((row) => figuresOf(row.up)), rows.map((row) => figuresOf(row.down))]
    expect(body).toMatchObject({
      market_id: summed.id,
      category: 'crypto',
      crypto: 'BNB',
      timeframe: 'hit-price',
      subcategory: 'BNB',
      label: summed.label,
      question: summed.question,
      snapshot_count: 12,
      first_seen: new Date(START_MS + 2).toISOString(),
      last_seen: new Date(START_MS + 1_502).toISOString(),
      min_crypto_price: 600.5,
      max_crypto_price: 601,
      avg_crypto_price: 600.75,
      min_mid_price: Math.min(...up.map(({ mid }) => mid)),
      max_mid_price: Math.max(...up.map(({ mid }) => mid)),
      min_spread: -0.01,
      max_spread: Math.max(...up.map(({ spread }) => spread)),
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

  test('it states its coverage', async () => {
    const { body } = await summary(summed.id)
    const coverage = { expected_slots: 7, stored_slots: 6, missing_slots: 1, share: 0.857142 }
    expect(body).toMatchObject({ coverage, proof: 'hash', verified_slots: 1, unverified_slots: 5, crossed_slots: 1 })
    expect(body).not.toHaveProperty('history_from')
    expect(body.window).toEqual({
      from: new Date(START_MS).toISOString(),
      to: new Date(START_MS + 1_750).toISOString(),
    })
  })

  test('a market being recorded has no missing slots except those with a gap', async () => {
    const { live5m } = service.world
    const { body } = await summary(live5m.id)
    expect(body).toMatchObject({
      snapshot_count: 2 * 1_777,
      coverage: { missing_slots: 24 },
      gap_counts: { missing: 1 },
    })
    expect(body.avg_crypto_price).toBeGreaterThan(0)
  })

  test('the free tier gets its last day and a note that there is more; a range wholly before it is refused', async () => {
    const { body } = await summary(partlyOld.id, free)
    expect(body.snapshot_count).toBe(2)
    expect(body.history_from).toBe(body.window.from)
    expect(WORLD_NOW_MS - Date.parse(body.window.from)).toBeLessThan(24 * HOUR_MS + 10_000)
    expect((await summary(partlyOld.id)).body).toMatchObject({ snapshot_count: 6 })
    expect((await summary(old.id, free)).body).toMatchObject({ error: 'tier_not_allowed', status: 403 })
    expect((await summary(old.id)).body.snapshot_count).toBe(2)
  })

  test('of a market without rows it is empty with a reason', async () => {
    const answer = await summary(bare.id)
    expect(answer.headers['x-empty-reason']).toBe('not_recorded_yet')
    expect(answer.body).toMatchObject({ snapshot_count: 0, avg_mid_price: null, sides: [], window: null })
  })

  test('a market missing from the catalogue has one; an unknown id has none; a category outside the tier is refused', async () => {
    expect((await summary(forgotten.id)).body).toMatchObject({ snapshot_count: 2, crypto: 'BNB' })
    for (const id of [`0x${'1'.repeat(64)}`, 'nonsense']) {
      expect((await summary(id)).body).toMatchObject({ error: 'market_not_found', status: 404 })
    }
    expect((await summary(game.id, free)).body).toMatchObject({ error: 'tier_not_allowed', status: 403 })
  })
})

interface Entry {
  market_id: string
  category: string
  snapshot_count: string
  is_live: boolean
  first_seen: string
  last_seen: string
}

describe.each(['/v1/markets/history', '/v1/markets/history/recent'])('GET %s', (path) => {
  const ask = (query = '', as = key) => service.ask(`${path}${query}`, { key: as })

  test('lists every market that has rows, and totals match the list', async () => {
    const { status, body } = await ask()
    expect(status).toBe(200)
    const markets: Entry[] = body.markets
    expect(Object.keys(body)).toEqual(
      'total_markets total_snapshots live_count closed_count next_cursor markets'.split(' '),
    )
    expect(body.next_cursor).toBeNull()
    expect(body.total_markets).toBe(markets.length)
    expect(body.total_snapshots).toBe(markets.reduce((sum, each) => sum + Number(each.snapshot_count), 0))
    expect(body.live_count).toBe(markets.filter(({ is_live }) => is_live).length)
    expect(body.live_count + body.closed_count).toBe(body.total_markets)
    expect(markets.find(({ market_id }) => market_id === summed.id)).toEqual({
      crypto: 'BNB',
      timeframe: 'hit-price',
      market_id: summed.id,
      category: 'crypto',
      subcategory: 'BNB',
      first_seen: new Date(START_MS).toISOString(),
      last_seen: new Date(START_MS + 1_500).toISOString(),
      snapshot_count: '12',
      is_live: true,
      end_date: new Date(summed.endsAtMs).toISOString(),
      question: summed.question,
      slug: summed.slug,
      venue: summed.venue,
      share: 0.857142,
    })
    for (const market of [old, forgotten]) {
      expect(markets.find(({ market_id }) => market_id === market.id)?.is_live).toBe(false)
    }
    expect(markets.some(({ market_id }) => market_id === bare.id)).toBe(false)
  })

  test('totals are counted after the filters', async () => {
    const { body } = await ask('?category=sports&subcategory=NBA&timeframe=game&status=live')
    expect(body.markets.map(({ market_id }: Entry) => market_id)).toContain(game.id)
    expect(body.total_markets).toBe(body.markets.length)
    expect(body.closed_count).toBe(0)
    const closed = await ask('?crypto=bnb&timeframe=hit-price&status=closed')
    expect(new Set(closed.body.markets.map(({ market_id }: Entry) => market_id))).toEqual(
      new Set([old.id, forgotten.id]),
    )
    expect(closed.body).toMatchObject({ total_markets: 2, total_snapshots: 4, live_count: 0, closed_count: 2 })
  })

  test('since leaves out markets last recorded before it', async () => {
    const since = new Date(nowMs - 40 * HOUR_MS).toISOString()
    const { body } = await ask(`?crypto=BNB&timeframe=hit-price&since=${since}`)
    const ids = body.markets.map(({ market_id }: Entry) => market_id)
    expect(body.markets).toContainEqual(expect.objectContaining({ market_id: partlyOld.id, snapshot_count: '6' }))
    expect(ids).not.toContain(old.id)
  })

  test('complete leaves out markets with a missing slot', async () => {
    const { body } = await ask('?crypto=BNB&timeframe=hit-price&complete=true')
    const ids = body.markets.map(({ market_id }: Entry) => market_id)
    expect(ids).toContain(old.id)
    expect(ids).not.toContain(summed.id)
    expect(body.total_markets).toBe(ids.length)
  })

  test('pages have every market once, the first recorded last', async () => {
    const whole = (await ask('?category=crypto')).body.markets.map(({ market_id }: Entry) => market_id)
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const answer = await ask(`?category=crypto&limit=7${cursor && `&cursor=${cursor}`}`)
      expect(answer.body.markets.length).toBeLessThanOrEqual(7)
      paged.push(...answer.body.markets.map(({ market_id }: Entry) => market_id))
      cursor = answer.body.next_cursor
    }
    expect(new Set(paged).size).toBe(paged.length)
    expect(paged.filter((id) => whole.includes(id))).toEqual(whole)
    expect(new Set(paged.slice(-2))).toEqual(new Set([old.id, partlyOld.id]))
  })

  test('an empty list gives the reason, also when the tier hides markets', async () => {
    const none = await ask('?subcategory=bnb')
    expect(none.body).toMatchObject({ total_markets: 0, markets: [], empty_reason: 'no_match' })
    expect(none.headers['x-empty-reason']).toBe('no_match')
    expect((await ask('?category=exchange')).body.empty_reason).toBe('no_match')
    const hidden = await ask('?timeframe=game', free)
    expect(hidden.body).toMatchObject({ total_markets: 0, empty_reason: 'tier' })
    expect(hidden.headers['x-tier-scope-filtered']).toContain('sports')
    expect((await ask('', free)).body.markets.every(({ category }: Entry) => category === 'crypto')).toBe(true)
    expect((await ask('?category=sports', free)).status).toBe(403)
  })

  test('a flat file has its totals in headers', async () => {
    const { text, headers } = await ask('?crypto=BNB&timeframe=hit-price&status=closed&format=csv')
    expect(text.split('\n')[0]).toBe(
      'crypto,timeframe,market_id,category,subcategory,first_seen,last_seen,snapshot_count,is_live,end_date,question,slug,venue,resolved_outcome,resolved_at,price_to_beat,price_to_beat_source,price_to_beat_at,settlement_price,settlement_price_source,settlement_price_at,share',
    )
    expect(headers).toMatchObject({ 'x-total-markets': '2', 'x-total-snapshots': '4', 'x-closed-count': '2' })
  })
})

test('the history list is cached with a max-age; the recent list is at most 2 seconds old', async () => {
  const count = async (path: string) => {
    const { body, headers } = await service.ask(`${path}?crypto=BNB&timeframe=hit-price&status=live`, { key })
    const found = body.markets.find(({ market_id }: Entry) => market_id === late.id)
    return { found: found?.snapshot_count, age: headers['x-cache-age'], control: headers['cache-control'] }
  }
  const before = await count('/v1/markets/history')
  expect(Number(before.age)).toBeGreaterThanOrEqual(0)
  expect(before.control).toMatch(/^private, max-age=\d+$/)
  await archive(service, [madeRow(late, { atMs: WORLD_NOW_MS })])
  expect((await count('/v1/markets/history')).found).toBeUndefined()
  laterMs = 2_000
  expect(await count('/v1/markets/history/recent')).toEqual({ found: '2', age: undefined, control: 'no-store' })
})

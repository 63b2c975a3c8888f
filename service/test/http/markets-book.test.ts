import { list, madeMarket, madeRow, putInRedis } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ladders } from '../../src/domain/book.ts'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'

let service: TestService
let key: string

const CROSSED: Ladders = { bids: [{ price: 5_500, size: 1_000_000 }], asks: [{ price: 5_400, size: 1_000_000 }] }
const names = ['fresh', 'crossed', 'always crossed'] as const
const made = Object.fromEntries(names.map((name) => [name, madeMarket(`book ${name}`)])) as Record<
  (typeof names)[number],
  ReturnType<typeof madeMarket>
>
const sport = { category: 'sports', subcategory: 'NBA', planId: 'sports' } as const
const unrecorded = madeMarket('without a book', sport)
const resolved = madeMarket('resolved', sport)
const UNKNOWN = `0x${'0'.repeat(64)}`

let nowMs = WORLD_NOW_MS

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen', nowMs: () => nowMs })
  key = await service.keyOf('enterprise')
  const resolution = { marketId: resolved.id, winner: 1, resolvedAtMs: WORLD_NOW_MS } as const
  await list(service, [...Object.values(made), unrecorded, resolved], [resolution])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const book = (market: { id: string }) => service.ask(`/v1/markets/${market.id}/orderbook`, { key })
const quotes = (query: string, as = key) => service.ask(`/v1/quotes${query}`, { key: as })

describe('GET /v1/quotes', () => {
  test('a quote has the best prices and sizes of the live book of the same slot', async () => {
    const { id } = service.world.live5m
    const { body: live } = await book({ id })
    const [quote] = (await quotes('?crypto=BTC&limit=1')).body.quotes
    expect(quote.sequence_number).toBe(live.up.sequenceNumber)
    const best = (levels: { price: number; size: number }[]) => levels[0] ?? { price: null, size: null }
    for (const side of ['up', 'down'] as const) {
      const [bid, ask] = [best(live[side].bids), best(live[side].asks)]
      expect(quote[`${side}_bid`]).toBe(bid.price)
      expect(quote[`${side}_bid_size`]).toBe(bid.size)
      expect(quote[`${side}_ask`]).toBe(ask.price)
      expect(quote[`${side}_ask_size`]).toBe(ask.size)
    }
    expect(quote).toMatchObject({ market_id: id, slug: live.slug, venue: 'polymarket', stale: false })
  })

  test('every market that the filters find has a quote or a reason why it has none', async () => {
    const { body, headers } = await quotes('')
    const all = service.stores.catalogue.list({ venue: 'polymarket' }, WORLD_NOW_MS).map(({ id }) => id)
    const told = [...body.quotes, ...body.without_quote].map(({ market_id }: { market_id: string }) => market_id)
    expect(told.toSorted()).toEqual(all.toSorted())
    expect(all).toHaveLength(31)
    expect(body.total_markets).toBe(31)
    expect(body.without_quote).toContainEqual({ market_id: unrecorded.id, reason: 'no_recent_data' })
    expect(headers['x-credits-cost']).toBe('0')
  })

  test('the limit keeps the markets that end first, and the count says how many there are', async () => {
    const { body } = await quotes('?category=sports&limit=2')
    const sports = service.stores.catalogue.list({ venue: 'polymarket', category: 'sports' }, WORLD_NOW_MS)
    const told = [...body.quotes, ...body.without_quote].map(({ market_id }: { market_id: string }) => market_id)
    expect(new Set(told)).toEqual(new Set(sports.slice(0, 2).map(({ id }) => id)))
    expect(body.total_markets).toBe(5)
  })

  test('given ids are answered one by one: unknown, closed, without a book, outside the tier', async () => {
    const free = await service.keyOf('free')
    const { body } = await quotes(`?ids=${UNKNOWN},${resolved.id},${unrecorded.id}`)
    expect(body).toEqual({
      quotes: [],
      without_quote: [
        { market_id: UNKNOWN, reason: 'market_not_found' },
        { market_id: resolved.id, reason: 'market_closed' },
        { market_id: unrecorded.id, reason: 'no_recent_data' },
      ],
      total_markets: 3,
    })
    const refused = await quotes(`?ids=${unrecorded.id}`, free)
    expect(refused.body.without_quote).toEqual([{ market_id: unrecorded.id, reason: 'tier_not_allowed' }])
  })

  test('given ids after the limit are not read, and are told', async () => {
    const { body } = await quotes(`?ids=${unrecorded.id},${resolved.id},${UNKNOWN}&limit=1`)
    expect(body).toEqual({
      quotes: [],
      without_quote: [
        { market_id: resolved.id, reason: 'over_limit' },
        { market_id: UNKNOWN, reason: 'over_limit' },
        { market_id: unrecorded.id, reason: 'no_recent_data' },
      ],
      total_markets: 3,
    })
  })

  test('ids are used once, in any case; the other filters are not used', async () => {
    const { body } = await quotes(
      `?category=crypto&ids=${unrecorded.id},${unrecorded.id.toUpperCase().replace('0X', '0x')}`,
    )
    expect(body.total_markets).toBe(1)
  })

  test('a category outside the tier is refused', async () => {
    const { status, body } = await quotes('?category=sports', await service.keyOf('free'))
    expect([status, body.error]).toEqual([403, 'tier_not_allowed'])
  })
})

describe('GET /v1/markets/{id}/orderbook', () => {
  test('the rendered text equals the JSON of every member, ladders best first as objects', async () => {
    await putInRedis(service, [madeRow(made.fresh, { atMs: nowMs, spotUsd: 612.25, flags: SNAPSHOT_FLAGS.verifiedUp })])
    const { text, body } = await book(made.fresh)
    expect(JSON.stringify(body)).toBe(text)
    expect(body).toMatchObject({
      market_id: made.fresh.id,
      marketId: made.fresh.id,
      crypto: 'BNB',
      crypto_price: 612.25,
      cryptoPrice: 612.25,
      stale: false,
      up: {
        tokenId: made.fresh.tokenIds[0],
        outcomeIndex: 0,
        bestBid: 0.48,
        bestAsk: 0.51,
        midPrice: 0.495,
        spread: 0.03,
        bidDepth: 150.5,
        askDepth: 70,
        flags: ['verified', 'mirrored'],
        proof: 'hash',
        bids: [
          { price: 0.48, size: 100 },
          { price: 0.47, size: 50.5 },
        ],
        asks: [{ price: 0.51, size: 70 }],
      },
      down: {
        outcomeIndex: 1,
        bestBid: 0.49,
        bestAsk: 0.52,
        bidDepth: 70,
        flags: ['unverified', 'mirrored'],
        proof: 'hash',
        bids: [{ price: 0.49, size: 70 }],
      },
    })
    expect(body.up.timestamp).toBe(body.up.captureTimestamp)
  })

  test('a newer row is served at once, although the previous one is cached', async () => {
    const before = (await book(made.fresh)).body.up.sequenceNumber
    const up = { bids: [{ price: 4_900, size: 1_000_000 }], asks: [] }
    await putInRedis(service, [madeRow(made.fresh, { atMs: (before + 2) * 250, up, flags: SNAPSHOT_FLAGS.oneSided })])
    nowMs += 500
    const { body } = await book(made.fresh)
    expect(body.up).toMatchObject({ sequenceNumber: before + 2, bestBid: 0.49, bestAsk: 1, asks: [] })
    expect(body.down).toMatchObject({ bestBid: 0, bestAsk: 0.51, bids: [] })
  })

  test('a row is decoded once for all requests', async () => {
    const { books } = service.stores
    const first = await books.read(made.fresh.id, nowMs)
    expect(first).toBeDefined()
    expect(await books.read(made.fresh.id, nowMs + 10_000)).toBe(first)
  })

  test('a crossed book is never served: the last one that was not crossed, or none', async () => {
    const crossed = { up: CROSSED, flags: SNAPSHOT_FLAGS.crossed }
    await putInRedis(service, [
      madeRow(made.crossed, { atMs: nowMs - 500 }),
      madeRow(made.crossed, { atMs: nowMs - 250, ...crossed }),
      madeRow(made['always crossed'], { atMs: nowMs, ...crossed }),
    ])
    for (let times = 0; times < 2; times++) {
      expect((await book(made.crossed)).body.up).toMatchObject({ bestBid: 0.48, bestAsk: 0.51 })
      expect((await book(made['always crossed'])).body.error).toBe('no_recent_data')
    }
  })
})

import { frozenMarket, list, madeRow, putInRedis } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ladders } from '../../src/domain/book.ts'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'

let service: TestService
let key: string

const CROSSED: Ladders = { bids: [{ price: 5_500, size: 1_000_000 }], asks: [{ price: 5_400, size: 1_000_000 }] }
const names = ['fresh', 'stale', 'gone', 'crossed', 'always crossed', 'bare'] as const
const made = Object.fromEntries(names.map((name) => [name, frozenMarket(`book ${name}`)])) as Record<
  (typeof names)[number],
  ReturnType<typeof frozenMarket>
>
const ended = frozenMarket('book ended', { endsAtMs: WORLD_NOW_MS - 1_000 })

let nowMs = WORLD_NOW_MS

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen', nowMs: () => nowMs })
  key = await service.keyOf('enterprise')
  const resolution = { marketId: ended.id, winner: 0, resolvedAtMs: WORLD_NOW_MS } as const
  await list(service, [...Object.values(made), ended], [resolution])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const book = (market: { id: string }, query = '') => service.ask(`/v1/markets/${market.id}/orderbook${query}`, { key })

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

  test('ladders can be left out, also right after a response with them', async () => {
    const { body } = await book(made.fresh, '?includebook=false')
    expect(body.up).not.toHaveProperty('bids')
    expect(body.down.bestAsk).toBe(0.52)
    expect((await book(made.fresh)).body.up.bids).toHaveLength(2)
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

  test('in a gap the last trusted book is served with its age, and after a minute none', async () => {
    await putInRedis(service, [madeRow(made.stale, { atMs: nowMs - 20_000 })])
    const { body } = await book(made.stale)
    expect(body.stale).toBe(true)
    expect(body.age_ms).toBeGreaterThanOrEqual(20_000 - 2)
    await putInRedis(service, [madeRow(made.gone, { atMs: nowMs - 61_000 })])
    for (const market of [made.gone, made.bare]) {
      const answer = await book(market)
      expect(answer.body).toMatchObject({ error: 'no_recent_data', message: 'No recent data', status: 404 })
      expect(answer.headers['retry-after']).toBe('1')
    }
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

  test('an ended market has no book, nor has an unknown id', async () => {
    expect((await book(ended)).body).toMatchObject({ error: 'market_closed', status: 404 })
    expect((await book({ id: `0x${'1'.repeat(64)}` })).body).toMatchObject({ error: 'market_not_found', status: 404 })
    expect((await book({ id: 'nonsense' })).status).toBe(404)
  })

  test('a book without a spot price has no price of the coin, not 0', async () => {
    await putInRedis(service, [madeRow(made.stale, { atMs: nowMs })])
    const { body } = await book(made.stale)
    expect(body.crypto).toBe(made.stale.subcategory)
    for (const name of ['crypto_price', 'cryptoPrice']) expect(body).not.toHaveProperty(name)
  })

  test('as a flat file has two rows, up and down', async () => {
    await putInRedis(service, [madeRow(made.stale, { atMs: nowMs })])
    const [header, up, down] = (await book(made.stale, '?format=csv')).text.split('\n')
    expect(header?.startsWith('side,market_id,marketId,category,')).toBe(true)
    expect(header).not.toContain('matched_by')
    expect([up?.split(',')[0], down?.split(',')[0]]).toEqual(['UP', 'DOWN'])
  })
})

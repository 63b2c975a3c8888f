import { marketOf, NOW_MS } from '@bookreel/testbed/service/market-facts'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { isRefusal } from '../../src/stores/engines/postgres-database.ts'
import type { ListedMarket, StoredMarket } from '../../src/stores/markets/postgres-market-rows.ts'
import { type OpenMarkets, openMarkets } from './open-markets.ts'

let open: OpenMarkets
beforeAll(async () => {
  open = await openMarkets()
})
afterAll(() => open[Symbol.asyncDispose]())

beforeEach(forgetAll)

async function forgetAll(): Promise<void> {
  await open.database.deleteFrom('markets').execute()
  await open.database.deleteFrom('resolutions').execute()
}

const stored = (name: string) => open.markets.byId(marketOf(name).id, NOW_MS)

test('a market is read as it was stored, whatever optional members are missing', async () => {
  const full = marketOf('full', {
    groupId: '0xabc',
    facts: { version: 'v2', isNew: true },
    priceGrid: [{ from: 0, to: 10_000, step: 100 }],
    tokenIds: ['9'.repeat(78), '1'],
  })
  const { startsAtMs: _, ...withoutStart } = marketOf('without start')
  await open.markets.saveListings([
    { market: full, seenAtMs: NOW_MS - 1 },
    { market: withoutStart, seenAtMs: NOW_MS },
  ])
  const times = { firstSeenAtMs: NOW_MS, lastSeenAtMs: NOW_MS, status: 'live' }
  expect(await open.markets.byId(full.id, NOW_MS)).toEqual({
    ...full,
    ...times,
    firstSeenAtMs: NOW_MS - 1,
    lastSeenAtMs: NOW_MS - 1,
  })
  expect(await open.markets.byId(withoutStart.id, NOW_MS)).toEqual({ ...withoutStart, ...times })
})

const name = fc.constantFrom('a', 'b', 'c')
const change: fc.Arbitrary<Partial<Market>> = fc.record(
  {
    question: fc.constantFrom('Is it?', 'Is it not?', "'; DROP TABLE markets; --"),
    negRiskId: fc.constantFrom('0x1', '0x2'),
    endsAtMs: fc.integer({ min: NOW_MS - 1_000, max: NOW_MS + 1_000 }),
    subcategory: fc.constantFrom('ETH', 'BTC'),
  },
  { requiredKeys: [] },
)
const listing = fc.record({ name, change, seenAtMs: fc.integer({ min: NOW_MS, max: NOW_MS + 6 }) })
const resolution = fc.record({
  name,
  winner: fc.constantFrom(0, 1, undefined),
  resolvedAtMs: fc.integer({ min: NOW_MS, max: NOW_MS + 3 }),
})

/** All saves in one order, with the number of saves in each call. */
async function save(listings: readonly ListedMarket[], resolutions: readonly { marketId: string }[], atOnce: number) {
  const saves: Promise<void>[] = []
  for (let from = 0; from < listings.length; from += atOnce) {
    saves.push(open.markets.saveListings(listings.slice(from, from + atOnce)))
  }
  for (const each of resolutions) {
    saves.push(open.markets.saveResolutions([each as { marketId: string; resolvedAtMs: number }]))
  }
  await Promise.all(saves)
}

test('the same listings and resolutions give the same catalogue in any order, concurrently and repeated', async () => {
  const facts = fc
    .array(listing, { minLength: 1, maxLength: 12 })
    .chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray([...list, ...list.slice(0, 3)], { minLength: list.length + Math.min(3, list.length) }),
      ),
    )
  await fc.assert(
    fc.asyncProperty(
      facts,
      fc.array(resolution, { maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      async (both, ends, atOnce) => {
        const [inOrder, shuffled] = both
        const outcomes: (StoredMarket | undefined)[][] = []
        for (const [list, resolved] of [
          [inOrder, ends],
          [shuffled, ends.toReversed()],
        ] as const) {
          await forgetAll()
          await save(
            list.map((each) => ({
              market: marketOf(each.name, { slug: each.name, ...each.change }),
              seenAtMs: each.seenAtMs,
            })),
            resolved.map(({ name: of, winner, resolvedAtMs }) => ({
              marketId: marketOf(of).id,
              ...(winner !== undefined && { winner }),
              resolvedAtMs,
            })),
            atOnce,
          )
          const found = await Promise.all(['a', 'b', 'c'].map(stored))
          outcomes.push(found)
        }
        expect(outcomes[1]).toEqual(outcomes[0])
        for (const [at, of] of ['a', 'b', 'c'].entries()) {
          const times = inOrder.filter((each) => each.name === of).map(({ seenAtMs }) => seenAtMs)
          const resolvedAt = ends.filter((each) => each.name === of).map(({ resolvedAtMs }) => resolvedAtMs)
          if (times.length === 0) expect(outcomes[0]?.[at]).toBeUndefined()
          else {
            expect(outcomes[0]?.[at]).toMatchObject({
              firstSeenAtMs: Math.min(...times),
              lastSeenAtMs: Math.max(...times),
            })
            if (resolvedAt.length > 0) expect(outcomes[0]?.[at]?.resolution?.resolvedAtMs).toBe(Math.max(...resolvedAt))
          }
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('an older listing changes only the time when the market was first seen', async () => {
  const market = marketOf('a')
  await open.markets.saveListings([{ market, seenAtMs: NOW_MS }])
  await open.markets.saveListings([{ market: { ...market, question: 'Formerly?' }, seenAtMs: NOW_MS - 5 }])
  expect(await stored('a')).toMatchObject({ ...market, firstSeenAtMs: NOW_MS - 5, lastSeenAtMs: NOW_MS })
})

test('a market keeps the capture interval it was first recorded with, against newer listings and against plain SQL', async () => {
  const market = marketOf('a', { captureIntervalMs: 500 })
  await open.markets.saveListings([{ market, seenAtMs: NOW_MS }])
  await open.markets.saveListings([
    { market: { ...market, captureIntervalMs: 250, question: 'Newer?' }, seenAtMs: NOW_MS + 1 },
    { market: { ...market, captureIntervalMs: 100 }, seenAtMs: NOW_MS - 1 },
  ])
  expect(await stored('a')).toMatchObject({ captureIntervalMs: 500, question: 'Newer?' })
  const byHand = open.database.updateTable('markets').set({ capture_interval_ms: 250 }).where('id', '=', market.id)
  await expect(byHand.execute()).rejects.toThrow(/for life/)
})

test('a resolution that arrives before its market is stored with it later', async () => {
  const market = marketOf('a')
  await open.markets.saveResolutions([{ marketId: market.id, winner: 1, resolvedAtMs: NOW_MS - 9 }])
  expect(await stored('a')).toBeUndefined()
  await open.markets.saveListings([{ market, seenAtMs: NOW_MS }])
  expect(await stored('a')).toMatchObject({
    status: 'expired',
    resolution: { marketId: market.id, winner: 1, resolvedAtMs: NOW_MS - 9 },
  })
})

test('thousands of markets are stored in one call, and an invalid one is refused', async () => {
  const many = Array.from({ length: 2_500 }, (_, n) => ({ market: marketOf(`many ${n}`), seenAtMs: NOW_MS }))
  await open.markets.saveListings(many)
  expect(
    (
      await open.markets.byIds(
        many.map(({ market }) => market.id),
        NOW_MS,
      )
    ).length,
  ).toBe(2_500)
  const bad = { market: marketOf('bad', { question: 'a \0 b' }), seenAtMs: NOW_MS }
  const error = await open.markets.saveListings([bad]).catch((caught: unknown) => caught)
  expect(isRefusal(error)).toBe(true)
})

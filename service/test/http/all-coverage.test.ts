import { HOUR_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'
import { CoverageCounts } from '../../src/stores/books/coverage-counts.ts'
import { recordedHourStore } from '../../src/stores/books/recorded-hours.ts'
import { marketFactStore } from '../../src/stores/markets/market-facts.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { type CoverageWork, countDueDays } from '../../src/workers/count-coverage.ts'

const DAY_MS = 24 * HOUR_MS
const LAST = 159
/** Long enough after the hour that its day is finished, and before it is counted again. */
const NEXT_DAY_MS = Math.floor(PAST_HOUR_MS / DAY_MS) * DAY_MS + DAY_MS + HOUR_MS
const DAY = instantOf(NEXT_DAY_MS - HOUR_MS - DAY_MS)
const RANGE = `from=${PAST_HOUR_MS - DAY_MS}&to=${PAST_HOUR_MS + HOUR_MS}`

let service: TestService
let work: CoverageWork
let nowMs = NEXT_DAY_MS
/** The API keeps an answer for ten seconds. */
let laterMs = 0
const stop = new AbortController()

beforeAll(async () => {
  service = await TestService.start({ nowMs: () => Date.now() + laterMs })
  const client = openClickHouse(service.config)
  stop.signal.addEventListener('abort', () => void client.close())
  const market = (name: string, category: 'crypto' | 'sports') => PastMarket.save(service, name, { category })
  const [first, second, third] = [
    await market('one', 'crypto'),
    await market('two', 'crypto'),
    await market('three', 'sports'),
  ]
  const listings = [first, second, third].map(({ market: each }) => ({ market: each, publishedAtMs: PAST_HOUR_MS }))
  await marketFactStore(client).put(listings)
  await first.putRows([...first.rows(0, 59), ...first.rows(80, LAST)])
  await first.putRows(first.rows(80, 90))
  await first.putGaps([first.gap(60, 79), first.gap(110, 111, { cause: 'hash_mismatch', kind: 'suspect' })])
  await second.putRows(second.rows(0, LAST))
  await third.putGaps([third.gap(0, LAST, { cause: 'capturer_overloaded' })])
  work = {
    record: recordedHourStore(client),
    counts: new CoverageCounts(service.access.database),
    now: () => nowMs,
    failed: (error) => {
      throw error
    },
  }
}, 360_000)

afterAll(async () => {
  stop.abort()
  await service?.[Symbol.asyncDispose]()
})

const ask = (query: string) => {
  laterMs += 10_000
  return service.ask(`/v1/coverage?${query}`)
}
const coverage = (query: string) => ask(`${RANGE}&${query}`)

test('before anything is counted the answer is empty and says so', async () => {
  const { status, body, headers } = await coverage('by=day')
  expect(status).toBe(200)
  expect(body).toMatchObject({ parts: [], counted_to: null, empty_reason: 'outside_capture' })
  expect(headers['x-empty-reason']).toBe('outside_capture')
})

test('a day is counted when its hours are finished, once', async () => {
  expect(await countDueDays(work, stop.signal)).toBeGreaterThan(0)
  expect(await countDueDays(work, stop.signal)).toBe(0)
})

test.each([
  ['day', DAY],
  ['hour', instantOf(PAST_HOUR_MS)],
])('by %s: the sums of all markets; a row stored twice counts once', async (by, start) => {
  const { body, headers } = await coverage(`by=${by}`)
  expect(body.parts).toEqual([
    {
      start,
      expected_slots: 480,
      stored_slots: 300,
      missing_slots: 180,
      suspect_slots: 2,
      share: 0.625,
      condition: 'degraded',
      causes: { disconnected: 20, hash_mismatch: 2, capturer_overloaded: 160 },
      market_count: 3,
    },
  ])
  expect(headers['cache-control']).toBe('public, max-age=60, s-maxage=60')
})

test('one day has the markets with the most slots missing or in doubt, the worst first', async () => {
  const oneDay = (query: string) => ask(`from=${DAY}&to=${PAST_HOUR_MS + HOUR_MS}&${query}`)
  const { body } = await oneDay('by=day')
  expect(body.worst_markets).toMatchObject([
    { slug: 'slug-three', question: 'What of three?', venue: 'polymarket', missing_slots: 160, share: 0 },
    { slug: 'slug-one', expected_slots: 160, missing_slots: 20, suspect_slots: 2, share: 0.875 },
  ])
  expect((await oneDay('category=crypto')).body.worst_markets).toMatchObject([{ slug: 'slug-one' }])
  expect((await oneDay('by=hour')).body).not.toHaveProperty('worst_markets')
  expect((await coverage('by=day')).body).not.toHaveProperty('worst_markets')
  await service.access.database
    .updateTable('coverage_parts')
    .set({ worst: null })
    .where('category', '=', 'crypto')
    .execute()
  expect((await oneDay('by=day')).body).not.toHaveProperty('worst_markets')
  expect((await oneDay('category=sports')).body.worst_markets).toHaveLength(1)
})

test('one category or venue alone', async () => {
  const sports = await coverage('category=sports')
  expect(sports.body.parts).toMatchObject([
    { expected_slots: 160, stored_slots: 0, condition: 'missing', market_count: 1 },
  ])
  const other = await coverage('venue=kalshi')
  expect(other.body).toMatchObject({ parts: [], venue: 'kalshi' })
  expect((await coverage('category=crypto&venue=polymarket')).body.parts).toMatchObject([{ expected_slots: 320 }])
})

test('the range has at most 400 days, and whole ones', async () => {
  const { body } = await service.ask(`/v1/coverage?from=1600000000&to=${PAST_HOUR_MS + 1}`)
  expect(body.to).toBe(instantOf(Date.parse(DAY) + DAY_MS))
  expect((Date.parse(body.to) - Date.parse(body.from)) / DAY_MS).toBe(400)
})

test('a day is counted again a day later and when one of its hours was corrected', async () => {
  const oldest = Math.floor(PAST_HOUR_MS / DAY_MS) * DAY_MS
  nowMs = oldest + 2 * DAY_MS + 2 * HOUR_MS
  await countDueDays(work, stop.signal)
  const corrections = new Corrections(service.access.database)
  const hour = { marketId: `0x${'a'.repeat(64)}`, hourMs: PAST_HOUR_MS }
  const revision = await corrections.begin(hour, 'a test', { snapshots: 1, gaps: 0, trades: 0 })
  await corrections.finish(hour, revision)
  const finished = await service.access.database
    .selectFrom('corrections')
    .select('corrected_at')
    .executeTakeFirstOrThrow()
  // The clock of the test is ahead of the database.
  nowMs = Math.max(nowMs, (finished.corrected_at?.getTime() ?? 0) + 1)
  expect(await work.counts.dueDays({ fromMs: oldest, finishedToMs: oldest + DAY_MS, nowMs })).toEqual([])
  await service.access.database
    .updateTable('corrections')
    .set({ corrected_at: new Date(nowMs + 1) })
    .execute()
  expect(await work.counts.dueDays({ fromMs: oldest, finishedToMs: oldest + DAY_MS, nowMs })).toEqual([oldest])
})

test('the part of a day that is not finished is pending', async () => {
  nowMs = PAST_HOUR_MS + HOUR_MS + 6 * 60_000
  await service.access.database.deleteFrom('counted_days').execute()
  await countDueDays(work, stop.signal)
  const { body } = await coverage('by=day')
  expect(body).toMatchObject({ counted_to: instantOf(PAST_HOUR_MS + HOUR_MS), parts: [{ expected_slots: 480 }] })
  const isLastHour = (PAST_HOUR_MS + HOUR_MS) % DAY_MS === 0
  expect(body.parts[0].condition).toBe(isLastHour ? 'degraded' : 'pending')
  expect((await coverage('by=hour')).body.parts).toMatchObject([{ condition: 'degraded' }])
})

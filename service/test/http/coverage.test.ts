import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { asWriter, HOUR_MS, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'
import { CoverageCounts } from '../../src/stores/books/coverage-counts.ts'
import { recordedHourStore } from '../../src/stores/books/recorded-hours.ts'
import { noteRetention } from '../../src/stores/engines/clickhouse-retention.ts'
import { marketFactStore } from '../../src/stores/markets/market-facts.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { type CoverageWork, countDueDays } from '../../src/workers/count-coverage.ts'

const DAY_MS = 24 * HOUR_MS
const LAST = 159
/** Long enough after the hour that its day is finished, and before it is counted again. */
const NEXT_DAY_MS = Math.floor(PAST_HOUR_MS / DAY_MS) * DAY_MS + DAY_MS + HOUR_MS
const HOUR = instantOf(PAST_HOUR_MS)
const DAY = instantOf(NEXT_DAY_MS - HOUR_MS - DAY_MS)
const RANGE = `from=${PAST_HOUR_MS - DAY_MS}&to=${PAST_HOUR_MS + HOUR_MS}`

let service: TestService
let key: string
let first: PastMarket
let work: CoverageWork
let nowMs = NEXT_DAY_MS
/** Before the days that are kept. */
let earlierMs: number
const stop = new AbortController()

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('enterprise')
  const client = openClickHouse(service.config)
  stop.signal.addEventListener('abort', () => void client.close())
  const market = (name: string, category: 'crypto' | 'sports') => PastMarket.save(service, name, { category })
  // Duplicate rows stay.
  await asWriter(service, (writer) => writer.command({ query: 'SYSTEM STOP MERGES snapshots' }))
  first = await market('one', 'crypto')
  const [second, third] = [await market('two', 'crypto'), await market('three', 'sports')]
  const listings = [first, second, third].map(({ market: each }) => ({ market: each, publishedAtMs: PAST_HOUR_MS }))
  await marketFactStore(client).put(listings)
  await first.putRows([...first.rows(0, 59), ...first.rows(80, LAST)])
  await first.putRows(first.rows(80, 90))
  await first.putGaps([first.gap(60, 79), first.gap(110, 111, { cause: 'hash_mismatch', kind: 'suspect' })])
  await second.putRows(second.rows(0, LAST))
  await third.putGaps([third.gap(0, LAST, { cause: 'capturer_overloaded' })])
  // ClickHouse decides by the clock of the machine, which PostgreSQL has too, and the API by that of the test.
  const days = 30 + Math.max(0, Math.ceil(((await postgresNowMs(service.access.database)) - PAST_HOUR_MS) / DAY_MS))
  earlierMs = PAST_HOUR_MS - (days + 10) * DAY_MS
  await asWriter(service, (writer) =>
    noteRetention(writer, { RETENTION_DAYS_SNAPSHOTS: days, RETENTION_DAYS_TRADES: days }),
  )
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
  // The API keeps an answer for ten seconds.
  service.clock.nowMs += 10_000
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
  // PostgreSQL has another clock than the test.
  const dueWhenCorrectedAt = async (atMs: number): Promise<readonly number[]> => {
    const correctedAt = { corrected_at: new Date(atMs) }
    await service.access.database.updateTable('corrections').set(correctedAt).execute()
    return work.counts.dueDays({ fromMs: oldest, finishedToMs: oldest + DAY_MS, nowMs })
  }
  expect([await dueWhenCorrectedAt(nowMs - 1), await dueWhenCorrectedAt(nowMs + 1)]).toEqual([[], [oldest]])
})

test('the part of a day that is not finished is pending', async () => {
  nowMs = PAST_HOUR_MS + HOUR_MS + 6 * 60_000
  await service.access.database.deleteFrom('counted_days').execute()
  await countDueDays(work, stop.signal)
  const { body } = await coverage('by=day')
  expect(body).toMatchObject({ counted_to: instantOf(PAST_HOUR_MS + HOUR_MS), parts: [{ expected_slots: 480 }] })
  expect(body.parts[0].condition).toBe('pending')
  expect((await coverage('by=hour')).body.parts).toMatchObject([{ condition: 'degraded' }])
})

describe('the coverage of one market', () => {
  const ofMarket = (query = '', { market } = first) => service.ask(`/v1/markets/${market.id}/coverage${query}`, { key })

  test.each([
    ['day', DAY, 'pending'],
    ['hour', HOUR, 'degraded'],
  ])('by %s: the recorded slots, those missing and in doubt, and their causes', async (by, start, condition) => {
    const { body } = await ofMarket(`?by=${by}`)
    expect(body).toMatchObject({
      capture_interval_ms: INTERVAL_MS,
      recorded_from: HOUR,
      from: HOUR,
      to: instantOf(PAST_HOUR_MS + (LAST + 1) * INTERVAL_MS),
      coverage: { expected_slots: 160, stored_slots: 140, missing_slots: 20, share: 0.875 },
    })
    expect(body.parts).toEqual([
      {
        start,
        expected_slots: 160,
        stored_slots: 140,
        missing_slots: 20,
        suspect_slots: 2,
        share: 0.875,
        condition,
        causes: { disconnected: 20, hash_mismatch: 2 },
      },
    ])
  })

  test('an interval that does not divide a day: every slot counts in its own hour', async () => {
    const intervalMs = 700
    const odd = await PastMarket.save(service, 'odd coverage', { captureIntervalMs: intervalMs })
    const firstSlot = Math.ceil(PAST_HOUR_MS / intervalMs)
    const rows = Array.from({ length: Math.ceil((2 * HOUR_MS) / intervalMs) - 1 }, (_, index) => {
      const slot = firstSlot + index
      const atMs = slot * intervalMs
      return { ...odd.row(0), slot, intervalMs, capturedAtMs: atMs, eventAtMs: atMs, receivedAtMs: atMs }
    })
    await odd.putRows(rows)
    const { body } = await ofMarket('?by=hour', odd)
    const stored = (hourMs: number) =>
      rows.filter(({ slot }) => slot * intervalMs >= hourMs && slot * intervalMs < hourMs + HOUR_MS).length
    expect(body.parts).toMatchObject([
      { start: HOUR, stored_slots: stored(PAST_HOUR_MS), missing_slots: 0 },
      { start: instantOf(PAST_HOUR_MS + HOUR_MS), stored_slots: stored(PAST_HOUR_MS + HOUR_MS), missing_slots: 0 },
    ])
    const range = { from: HOUR, to: instantOf(PAST_HOUR_MS + HOUR_MS) }
    const { body: estimated } = await service.ask('/v1/estimate', {
      key,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ product: 'hours', markets: [odd.market.id], ...range }),
    })
    expect(estimated).toMatchObject({ stored_slots: stored(PAST_HOUR_MS), missing_slots: 0 })
  })

  test('a range is widened to whole hours', async () => {
    const { body } = await ofMarket(`?by=hour&from=${PAST_HOUR_MS + 10_000}&to=${PAST_HOUR_MS + 20_000}`)
    expect(body.coverage).toMatchObject({ expected_slots: 160, stored_slots: 140 })
  })
})

describe('what is no longer kept', () => {
  let id: string
  beforeAll(async () => {
    const kept = await PastMarket.save(service, 'kept', { startsAtMs: earlierMs })
    await kept.putRows(kept.rows(0, 9))
    id = kept.market.id
  })

  test.each(['markets/ID/gaps?', 'markets/ID/bars?', 'markets/ID/snapshots?', 'trades?marketId=ID&'])(
    'a range before the time that is kept is empty because of retention: /v1/%s',
    async (name) => {
      const url = `/v1/${name.replace('ID', id)}from=${earlierMs}&to=${earlierMs + HOUR_MS}`
      const { status, headers } = await service.ask(url, { key })
      expect([status, headers['x-empty-reason']]).toEqual([200, 'retention'])
    },
  )

  test('an hour, a book and a price of that time do not exist because of retention', async () => {
    const hour = `/v1/markets/${id}/export?hour=${instantOf(earlierMs)}`
    const { body: listed } = await service.ask(`${hour}&part=gaps`, { key })
    expect(listed).toMatchObject({ rows: 0, credits: 0, empty_reason: 'retention' })
    const refused = { error: 'no_data_at_time', details: { reason: 'retention' } }
    expect((await service.ask(hour, { key })).body).toMatchObject(refused)
    const { body } = await service.ask(`/v1/asof?timestamp=${earlierMs}&markets=${id}`, { key })
    expect(body.markets[0]).toMatchObject({ status: 'retention', up: null })
    const price = `/v1/markets/${id}/execution?side=UP&action=buy&size=10&timestamp=${earlierMs}`
    expect((await service.ask(price, { key })).body).toMatchObject(refused)
  })

  test('a time that is kept has its usual reasons', async () => {
    const { body } = await service.ask(`/v1/asof?timestamp=${PAST_HOUR_MS - 1_000}&markets=${id}`, { key })
    expect(body.markets[0]).toMatchObject({ status: 'outside_capture' })
    const { headers } = await service.ask(`/v1/markets/${id}/bars?from=${PAST_HOUR_MS + 10 * 60_000}`, { key })
    expect(headers['x-empty-reason']).toBe('outside_capture')
  })
})

import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PerpSnapshot, perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { archiveGaps, archivePerps } from './snapshots-scene.ts'
import { tapeBookRow } from './tape-scene.ts'

let service: TestService
let key: string

const NOW = WORLD_NOW_MS
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Ten minutes of books from thirty hours ago; the fourth minute is a gap, of which ten slots have no record. */
const FIRST_MS = Math.floor((NOW - 30 * 3_600_000) / MINUTE_MS) * MINUTE_MS
const END_MS = FIRST_MS + 10 * MINUTE_MS
const HOLE = { fromMs: FIRST_MS + 3 * MINUTE_MS, toMs: FIRST_MS + 4 * MINUTE_MS }
const LONG_AGO_MS = FIRST_MS - 10 * DAY_MS
const ID = perpMarketId('hyperliquid', 'DOGE')

/** Its mid price is 1 + the seconds since the first book; both sides have 2 coins. */
function bookAt(atMs: number): PerpSnapshot {
  const mid = 1_000_000 * (1 + Math.floor((atMs - FIRST_MS) / 1_000))
  const level = { size: 2_000_000, orders: 1 }
  const ladders = { bids: [{ ...level, price: mid - 10 }], asks: [{ ...level, price: mid + 10 }] }
  return { ...tapeBookRow('DOGE', atMs), ladders }
}

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  const times = Array.from({ length: (END_MS - FIRST_MS) / 500 }, (_, index) => FIRST_MS + index * 500)
  const rows = times.filter((atMs) => atMs < HOLE.fromMs || atMs >= HOLE.toMs).map(bookAt)
  for (const part of [rows, rows.slice(0, 50), [bookAt(NOW - (NOW % 500) - 30_000)]]) await archivePerps(service, part)
  await archivePerps(service, [tapeBookRow('XRP', Math.floor(LONG_AGO_MS / 500) * 500)])
  await archivePerps(service, [tapeBookRow('XRP', FIRST_MS)])
  const slots = { fromSlot: HOLE.fromMs / 500, toSlot: HOLE.toMs / 500 - 11, knownAtSlot: HOLE.fromMs / 500 }
  const record = { marketId: ID, ...slots, intervalMs: 500, detail: 'no fresh whole book' }
  await archiveGaps(service, [
    { ...record, cause: 'venue_silent', kind: 'missing' },
    { ...record, fromSlot: FIRST_MS / 500, toSlot: FIRST_MS / 500 + 9, cause: 'clock_step', kind: 'suspect' },
    { ...record, fromSlot: FIRST_MS / 500, toSlot: FIRST_MS / 500 + 9, cause: 'disconnected', kind: 'trades' },
  ])
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, asking = { key }) => service.ask(`/v1/exchange/${path}`, asking)
const instant = (ms: number): string => new Date(ms).toISOString()
const RANGE = `symbol=doge&from=${FIRST_MS}&to=${END_MS}`

describe('GET /v1/exchange/bars', () => {
  test('a bar has the figures of its books, each slot once, and one over a gap says so', async () => {
    const { body, status, text } = await ask(`bars?${RANGE}`)
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ exchange: 'hyperliquid_perp', symbol: 'DOGE', interval: '1m', next_cursor: null })
    expect(body.bars).toHaveLength(10)
    expect(body.bars[1]).toEqual({
      start: instant(FIRST_MS + MINUTE_MS),
      open: 61,
      high: 120,
      low: 61,
      close: 120,
      last_spread: 0.00002,
      avg_spread: 0.00002,
      avg_bid_depth: 2,
      avg_ask_depth: 2,
      snapshot_count: 120,
      expected_count: 120,
    })
    expect(body.bars[3]).toMatchObject({ open: null, close: null, avg_bid_depth: null, snapshot_count: 0 })
    expect(body.bars[3].expected_count).toBe(120)
  })

  test('the first bar is there when `from` is before the recording, and the last one is whole', async () => {
    const first = await ask(`bars?symbol=doge&from=${FIRST_MS - 90 * MINUTE_MS}&to=${END_MS}&interval=1h&limit=1`)
    expect(first.body.bars).toHaveLength(1)
    expect(first.body.bars[0].snapshot_count).toBeGreaterThan(0)
    const { body } = await ask(`bars?symbol=doge&from=${FIRST_MS}&to=${FIRST_MS + 90_000}`)
    expect(body.bars).toHaveLength(2)
    expect(body.bars[1]).toMatchObject({ close: 120, snapshot_count: 120, expected_count: 120 })
  })

  test('a page reads at most seven days, however many bars are asked for', async () => {
    const { body } = await ask(`bars?symbol=XRP&from=${LONG_AGO_MS}&to=${NOW}&interval=1d&limit=1000`)
    expect(body.bars).toHaveLength(7)
    expect(body.next_cursor).not.toBeNull()
  })
})

describe('GET /v1/exchange/gaps', () => {
  test('lists the gaps of the books with their causes, and counts slots, also those without a record', async () => {
    const { body, status, text } = await ask(`gaps?${RANGE}`)
    expect(status, text).toBe(200)
    expect(body).toMatchObject({
      exchange: 'hyperliquid_perp',
      capture_interval_ms: 500,
      recorded_from: instant(FIRST_MS),
      from: instant(FIRST_MS),
      to: instant(END_MS),
      unaccounted_slots: 10,
    })
    expect(body.coverage).toMatchObject({ expected_slots: 1_200, stored_slots: 1_080 })
    expect(body.gaps.map(({ kind, cause, slots }: Record<string, unknown>) => [kind, cause, slots])).toEqual([
      ['suspect', 'clock_step', 10],
      ['missing', 'venue_silent', 110],
    ])
  })

  test('pages have every gap once, and tell how many there are', async () => {
    const { body: whole } = await ask(`gaps?${RANGE}`)
    const { body: first } = await ask(`gaps?${RANGE}&limit=1`)
    const { body: second } = await ask(`gaps?${RANGE}&limit=1&cursor=${first.next_cursor}`)
    expect([...first.gaps, ...second.gaps]).toEqual(whole.gaps)
    expect([first.gap_count, second.gap_count, second.next_cursor, whole.next_cursor]).toEqual([2, 2, null, null])
    expect((await ask(`gaps?${RANGE}&limit=5000`)).body).toEqual(whole)
  })

  test('refuses more than seven days', async () => {
    const { body } = await ask(`gaps?symbol=XRP&from=${LONG_AGO_MS}&to=${FIRST_MS}`)
    expect([body.error, body.message]).toEqual(['invalid_request', expect.stringMatching(/at most 7 days/)])
  })
})

describe('GET /v1/exchange/coverage', () => {
  const RECENT = `coverage?symbol=DOGE&by=hour&from=${NOW - 600_000}`
  const storedIn = (body: { parts: { stored_slots: number }[] }) =>
    body.parts.reduce((sum, { stored_slots }) => sum + stored_slots, 0)

  test('books of the last 60 seconds are counted for tiers with the live book; others are told where it ends', async () => {
    const pro = await service.keyOf('pro')
    const [mine, theirs] = [await ask(RECENT), await ask(RECENT, { key: pro })]
    expect([storedIn(mine.body), mine.body.restricted_from]).toEqual([1, undefined])
    expect([storedIn(theirs.body), theirs.body.restricted_from]).toEqual([0, instant(NOW - 60_000)])
    const refused = await ask(`coverage?symbol=DOGE&from=${NOW - 40_000}`, { key: pro })
    expect([refused.status, refused.body.error]).toEqual([403, 'tier_not_allowed'])
  })

  test('nothing before the oldest time of the tier is counted', async () => {
    const { body } = await ask('coverage?symbol=DOGE', { key: await service.keyOf('free') })
    expect(body).toMatchObject({ from: instant(NOW - DAY_MS), history_from: instant(NOW - DAY_MS), parts: [] })
    expect(storedIn((await ask('coverage?symbol=DOGE')).body)).toBe(1_081)
  })
})

test.each([
  ['hour', 31],
  ['day', 92],
])('a longer coverage by %s is cut to its newest %i days', async (by, days) => {
  const { body } = await ask(`coverage?symbol=XRP&by=${by}&from=${NOW - 200 * DAY_MS}`)
  expect(Date.parse(body.to) - Date.parse(body.from)).toBe(days * DAY_MS)
  expect(Date.parse(body.to)).toBeGreaterThanOrEqual(NOW)
})

describe.each(['bars', 'gaps'])('GET /v1/exchange/%s', (path) => {
  test('says why it is empty', async () => {
    const reasonOf = async (query: string) => (await ask(`${path}?${query}`)).headers['x-empty-reason']
    expect(await reasonOf('symbol=ZEC')).toBe('not_recorded_yet')
    expect(await reasonOf(`symbol=DOGE&to=${FIRST_MS - 1_000}`)).toBe('outside_capture')
  })
})

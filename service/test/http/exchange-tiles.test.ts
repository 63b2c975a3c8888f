import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOfSize, PERP_SCALE, TILE_COLUMNS } from '../../src/domain/heat-map.ts'
import { type PerpSnapshot, perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { archiveGaps, archivePerps } from './snapshots-scene.ts'
import { tapeBookRow } from './tape-scene.ts'

const HOUR_MS = 3_600_000
const INTERVAL_MS = 500
const ONE = 1_000_000
const COLUMN_SLOTS = 4
const COLUMN_MS = COLUMN_SLOTS * INTERVAL_MS
const TILE_MS = TILE_COLUMNS * COLUMN_MS
const NOW = Date.now()
/** A tile inside of an hour that is finished. */
const HOUR = Math.floor(NOW / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
const TILE_FROM = Math.ceil(HOUR / TILE_MS) * TILE_MS
const SLOTS = TILE_COLUMNS * COLUMN_SLOTS
const [MISSING_FROM, MISSING_TO] = [40, 47]

let service: TestService
let key: string

/** Prices in tens of dollars that rise with the time; two bids in one step of 20. */
function row(place: number): PerpSnapshot {
  const best = 80_000 + Math.floor(place / 64) * 10
  const level = (price: number, size: number) => ({ price: price * ONE, size: size * ONE, orders: 1 })
  const ladders = {
    bids: [level(best, 0.5 + (place % 4)), level(best - 5, 1)],
    asks: [level(best + 5, 2), level(best + 40, 0.000_01)],
  }
  return { ...tapeBookRow('BTC', TILE_FROM + place * INTERVAL_MS), ladders }
}

const isStored = (place: number): boolean => place < MISSING_FROM || place > MISSING_TO
const places = Array.from({ length: SLOTS }, (_, place) => place)

beforeAll(async () => {
  // A slow start must not make the newest rows older.
  service = await TestService.start({ nowMs: () => NOW })
  key = await service.keyOf('scale')
  const rows = places.filter(isStored).map(row)
  await archivePerps(service, rows)
  await archivePerps(service, rows.slice(100, 140))
  const firstSlot = TILE_FROM / INTERVAL_MS
  const gap = { marketId: perpMarketId('hyperliquid', 'BTC'), intervalMs: INTERVAL_MS, detail: '' }
  const slots = { fromSlot: firstSlot + MISSING_FROM, toSlot: firstSlot + MISSING_TO, knownAtSlot: firstSlot + 41 }
  await archiveGaps(service, [{ ...gap, ...slots, cause: 'disconnected', kind: 'missing' }])
  const recent = Math.floor((NOW - 90_000) / INTERVAL_MS) * INTERVAL_MS
  await archivePerps(
    service,
    [0, 40_000, 80_000].map((afterMs) => tapeBookRow('ETH', recent + afterMs)),
  )
}, 240_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, query: string, as = key) => service.ask(`/v1/exchange/${path}?${query}`, { key: as })
const tile = (query = '', as = key) => ask('heatmap', `symbol=btc&from=${TILE_FROM}&column_ms=${COLUMN_MS}${query}`, as)

function expectedBids(step: number, firstStep: number, rows: number): number[] {
  const largest = new Array<number>(TILE_COLUMNS * rows).fill(0)
  for (const place of places.filter(isStored)) {
    const sums = new Map<number, number>()
    for (const { price, size } of row(place).ladders.bids) {
      const at = Math.floor(price / ONE / step) - firstStep
      sums.set(at, (sums.get(at) ?? 0) + size / ONE)
    }
    for (const [at, size] of sums) {
      const cell = Math.floor(place / COLUMN_SLOTS) * rows + at
      largest[cell] = Math.max(largest[cell] ?? 0, size)
    }
  }
  return largest.map((size) => codeOfSize(size, PERP_SCALE))
}

test.each([
  ['', 1],
  ['&price_step=20', 20],
  ['&price_step=2.5', 2.5],
])('a tile%s has the largest sums of its books, from the lowest price to the highest', async (query, step) => {
  const { status, body } = await tile(query)
  expect(status).toBe(200)
  expect(body).toMatchObject({ exchange: 'hyperliquid_perp', symbol: 'BTC', price_step: step, columns: 256 })
  const firstStep = Math.floor(79_995 / step)
  expect(body.price_from).toBe(firstStep * step)
  expect(body.rows).toBe(Math.floor((80_000 + 150 + 40) / step) - firstStep + 1)
  expect([...Buffer.from(body.bids, 'base64')]).toEqual(expectedBids(step, firstStep, body.rows))
  expect(body.best_bid.slice(0, 17)).toEqual([
    ...new Array(10).fill(80_000),
    null,
    null,
    ...new Array(4).fill(80_000),
    80_010,
  ])
  expect(body.stored.slice(9, 13)).toEqual([4, 0, 0, 4])
  expect(body.expected).toEqual(new Array(256).fill(4))
  expect(body.is_final).toBe(true)
})

test('a column of four slots is free, a finer one costs 1 credit for 1,000 rows', async () => {
  expect((await tile()).headers['x-credits-cost']).toBe('0')
  const fine = await ask('heatmap', `symbol=BTC&from=${TILE_FROM}&column_ms=500`)
  expect(fine.headers['x-credits-cost']).toBe('1')
})

test('a step that gives more than 1,000 rows is refused with the least one', async () => {
  const { status, body } = await tile('&price_step=0.1')
  expect([status, body.error]).toEqual([400, 'invalid_request'])
  expect(body.message).toMatch(/price_step must be at least 0\.2 /)
})

test('the last minute is for tiers with the live book', async () => {
  const from = `symbol=ETH&from=${NOW - 90_000}&column_ms=500`
  const sum = ({ stored }: { stored: number[] }) => stored.reduce((total, count) => total + count, 0)
  const recentTile = Math.floor((NOW - 90_000) / 128_000) === Math.floor(NOW / 128_000)
  const whole = await ask('heatmap', from)
  expect(sum(whole.body)).toBeGreaterThan(0)
  const cut = await ask('heatmap', from, await service.keyOf('pro'))
  expect(sum(cut.body)).toBe(1)
  if (recentTile) expect(Date.parse(cut.body.restricted_from)).toBeLessThanOrEqual(NOW - 59_000)
  const newest = await ask('heatmap', `symbol=ETH&from=${NOW + 300_000}&column_ms=500`, await service.keyOf('pro'))
  expect([newest.status, newest.body.error]).toEqual([403, 'tier_not_allowed'])
})

test('coverage by hour and day: stored, missing and the cause; a row stored twice counts once', async () => {
  const { status, body } = await ask('coverage', `symbol=BTC&by=day&from=${HOUR}&to=${HOUR + HOUR_MS}`)
  expect(status).toBe(200)
  const sum = (figure: string) =>
    body.parts.reduce((total: number, part: Record<string, number>) => total + (part[figure] ?? 0), 0)
  expect([sum('expected_slots'), sum('stored_slots'), sum('missing_slots')]).toEqual([SLOTS, SLOTS - 8, 8])
  const hours = await ask('coverage', `symbol=BTC&by=hour&from=${HOUR}&to=${TILE_FROM + TILE_MS}`)
  expect(hours.body.parts[0]).toMatchObject({
    start: instantOf(HOUR),
    condition: 'degraded',
    causes: { disconnected: 8 },
  })
})

test('a time without rows is empty with the reason', async () => {
  const coverage = await ask('coverage', `symbol=BTC&by=hour&from=${HOUR - 5 * HOUR_MS}&to=${HOUR - 4 * HOUR_MS}`)
  expect(coverage.body).toMatchObject({ parts: [], empty_reason: 'outside_capture' })
  expect((await ask('coverage', 'symbol=SOL')).body).toMatchObject({ parts: [], empty_reason: 'not_recorded_yet' })
  const empty = await ask('heatmap', `symbol=SOL&from=${TILE_FROM}`)
  expect([empty.status, empty.headers['x-empty-reason'], empty.body.rows]).toEqual([200, 'not_recorded_yet', 0])
})

test.each([
  ['heatmap', `symbol=BTC`],
  ['heatmap', `symbol=BTC&from=${HOUR}&column_ms=1500`],
  ['heatmap', `symbol=BTC&from=${HOUR}&price_step=0`],
  ['heatmap', `symbol=BTC&from=${HOUR}&exchange=nowhere`],
  ['coverage', 'symbol=NONE'],
  ['coverage', 'symbol=BTC&by=week'],
  ['coverage', `symbol=BTC&from=${HOUR}&to=${HOUR}`],
])('%s?%s is refused', async (path, query) => {
  const { status, body } = await ask(path, query)
  expect([status, body.error]).toEqual([400, 'invalid_request'])
  expect((await service.ask(`/v1/exchange/${path}?${query}`)).status).toBe(401)
})

test('without credits a fine tile is refused, and history before the tier', async () => {
  const old = await ask('heatmap', `symbol=BTC&from=${NOW - 400 * 24 * HOUR_MS}`, await service.keyOf('free'))
  expect([old.status, old.body.error]).toEqual([403, 'tier_not_allowed'])
})

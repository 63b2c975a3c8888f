import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { codeOfSize, PERP_SCALE, TILE_COLUMNS } from '../../src/domain/heat-map.ts'
import { FREE_BOOKS_PER_DAY } from '../../src/domain/prices.ts'
import type { Gap } from '../../src/domain/rows/gap.ts'
import { type PerpSnapshot, perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { tileTimeAt } from '../../src/endpoints/shared/heat-map-tile.ts'
import { archiveGaps, archivePerps } from './snapshots-scene.ts'
import { tapeBookRow } from './tape-scene.ts'

const HOUR_MS = 3_600_000
const INTERVAL_MS = 500
const ONE = 1_000_000
const COLUMN_SLOTS = 4
const COLUMN_MS = COLUMN_SLOTS * INTERVAL_MS
const TILE_MS = TILE_COLUMNS * COLUMN_MS
const NOW = WORLD_NOW_MS
/** A tile inside of an hour that is finished. */
const HOUR = Math.floor(NOW / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
const TILE_FROM = Math.ceil(HOUR / TILE_MS) * TILE_MS
const SLOTS = TILE_COLUMNS * COLUMN_SLOTS
const [MISSING_FROM, MISSING_TO] = [40, 47]
/** The first of three rows of ETH; 40 s are between them, and the last 10 s are not stored yet. */
const RECENT = Math.floor((NOW - 90_000) / INTERVAL_MS) * INTERVAL_MS
const WITHHELD_FROM = NOW - 60_000

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

/** Up to `toMs`, which is not included. */
function gapOf(symbol: string, kind: Gap['kind'], fromMs: number, toMs: number): Gap {
  const slots = { fromSlot: fromMs / INTERVAL_MS, toSlot: toMs / INTERVAL_MS - 1, knownAtSlot: toMs / INTERVAL_MS }
  const marketId = perpMarketId('hyperliquid', symbol)
  return { marketId, intervalMs: INTERVAL_MS, ...slots, kind, cause: 'disconnected', detail: '' }
}

const isStored = (place: number): boolean => place < MISSING_FROM || place > MISSING_TO
const places = Array.from({ length: SLOTS }, (_, place) => place)

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  const rows = places.filter(isStored).map(row)
  await archivePerps(service, rows)
  await archivePerps(service, rows.slice(100, 140))
  await archivePerps(service, [
    ...[0, 40_000, 80_000].map((afterMs) => tapeBookRow('ETH', RECENT + afterMs)),
    tapeBookRow('XRP', RECENT),
  ])
  await archiveGaps(service, [
    gapOf('BTC', 'missing', TILE_FROM + MISSING_FROM * INTERVAL_MS, TILE_FROM + (MISSING_TO + 1) * INTERVAL_MS),
    gapOf('ETH', 'suspect', RECENT + 10_000, RECENT + 90_000),
    gapOf('XRP', 'missing', RECENT + INTERVAL_MS, RECENT + 70_000),
  ])
}, 360_000)

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

test('a step that gives more than 1,000 rows is refused with the least one', async () => {
  const { status, body } = await tile('&price_step=0.1')
  expect([status, body.error]).toEqual([400, 'invalid_request'])
  expect(body.message).toMatch(/price_step must be at least 0\.2 /)
})

/** The times of the last 90 s that a figure of the one or two tiles counts, with a column for each slot. */
async function recentTimes(symbol: string, figure: 'stored' | 'expected' | 'suspect', as: string): Promise<number[]> {
  const tiles = new Set([RECENT, NOW].map((atMs) => tileTimeAt(atMs, INTERVAL_MS).fromMs))
  const answers = await Promise.all(
    [...tiles].map((from) => ask('heatmap', `symbol=${symbol}&from=${from}&column_ms=${INTERVAL_MS}`, as)),
  )
  const served = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  return served.flatMap((body) =>
    body[figure].flatMap((count: number, column: number) =>
      count > 0 ? [Date.parse(body.from) + column * INTERVAL_MS] : [],
    ),
  )
}

function slotTimes(fromMs: number, toMs: number): number[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / INTERVAL_MS) }, (_, slot) => fromMs + slot * INTERVAL_MS)
}

test('the last minute is for tiers with the live book, and nothing of it is expected or in doubt for others', async () => {
  const pro = await service.keyOf('pro')
  expect(await recentTimes('ETH', 'stored', key)).toEqual([RECENT, RECENT + 40_000, RECENT + 80_000])
  expect(await recentTimes('ETH', 'stored', pro)).toEqual([RECENT])
  expect(await recentTimes('ETH', 'expected', pro)).toEqual(slotTimes(RECENT, WITHHELD_FROM))
  expect(await recentTimes('ETH', 'suspect', pro)).toEqual(slotTimes(RECENT + 10_000, WITHHELD_FROM))
  const cut = await ask('heatmap', `symbol=ETH&from=${WITHHELD_FROM - 1}&column_ms=${INTERVAL_MS}`, pro)
  if (tileTimeAt(WITHHELD_FROM - 1, INTERVAL_MS).toMs > WITHHELD_FROM)
    expect(Date.parse(cut.body.restricted_from)).toBe(WITHHELD_FROM)
  const newest = await ask('heatmap', `symbol=ETH&from=${NOW + 300_000}&column_ms=500`, pro)
  expect([newest.status, newest.body.error]).toEqual([403, 'tier_not_allowed'])
})

test('seconds that are not stored yet are not expected, those of a gap are', async () => {
  const pro = await service.keyOf('pro')
  const lastRowEnds = RECENT + 80_000 + INTERVAL_MS
  expect(await recentTimes('ETH', 'expected', key)).toEqual(slotTimes(RECENT, lastRowEnds))
  expect(await recentTimes('ETH', 'suspect', key)).toEqual(slotTimes(RECENT + 10_000, lastRowEnds))
  expect(await recentTimes('XRP', 'expected', key)).toEqual(slotTimes(RECENT, RECENT + 70_000))
  expect(await recentTimes('XRP', 'expected', pro)).toEqual(slotTimes(RECENT, WITHHELD_FROM))
  const later = await ask('heatmap', `symbol=BTC&from=${TILE_FROM + TILE_MS}&column_ms=${COLUMN_MS}`)
  expect([later.headers['x-empty-reason'], later.body.expected]).toEqual(['outside_capture', new Array(256).fill(0)])
})

test('a time without rows is empty with the reason', async () => {
  const coverage = await ask('coverage', `symbol=BTC&by=hour&from=${HOUR - 5 * HOUR_MS}&to=${HOUR - 4 * HOUR_MS}`)
  expect(coverage.body).toMatchObject({ parts: [], empty_reason: 'outside_capture' })
  expect((await ask('coverage', 'symbol=SOL')).body).toMatchObject({ parts: [], empty_reason: 'not_recorded_yet' })
  const empty = await ask('heatmap', `symbol=SOL&from=${TILE_FROM}`)
  expect([empty.status, empty.headers['x-empty-reason'], empty.body.rows]).toEqual([200, 'not_recorded_yet', 0])
})

test('a tile is charged once for an Idempotency-Key, and a retry returns it without later rows', async () => {
  const rowsOf = (from: number, to: number) =>
    places.slice(from, to).map((place) => ({ ...row(place), ...tapeBookRow('SOL', TILE_FROM + place * INTERVAL_MS) }))
  await archivePerps(service, rowsOf(0, 100))
  const { accountId } = await service.newAccount('scale')
  await service.access.accessControl.countBooks({ accountId }, FREE_BOOKS_PER_DAY)
  const { key: limited } = await issueKey(service.access, { accountId, label: 'limited', creditLimit: 2 })
  const path = `/v1/exchange/heatmap?symbol=SOL&from=${TILE_FROM}&column_ms=${INTERVAL_MS}`
  const retry = () => service.ask(path, { key: limited, headers: { 'idempotency-key': 'lost' } })
  const first = await retry()
  expect([first.status, first.headers['x-credits-cost']]).toEqual([200, '2'])
  await archivePerps(service, rowsOf(100, 200))
  const again = await retry()
  expect([again.status, again.headers['x-credits-cost']]).toEqual([200, '0'])
  expect(again.headers['x-idempotent-replay']).toBe('true')
  expect(again.body).toEqual(first.body)
  expect((await service.ask(path, { key: limited })).status).toBe(402)
})

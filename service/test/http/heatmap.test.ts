import {
  asWriter,
  FIRST_SLOT,
  HOUR_MS,
  INTERVAL_MS,
  laddersOf,
  PAST_HOUR_MS,
  PastMarket,
} from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { type Ladders, type Level, mirrorOf, PRICE_ONE } from '../../src/domain/book.ts'
import { SIZE_ONE } from '../../src/domain/decimal.ts'
import { codeOfSize, MARKET_SCALE, TILE_COLUMNS } from '../../src/domain/heat-map.ts'
import { FREE_BOOKS_PER_DAY } from '../../src/domain/prices.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'

const SLOTS = 2_400
const COLUMN_SLOTS = 4
const COLUMN_MS = COLUMN_SLOTS * INTERVAL_MS
const TILE_MS = TILE_COLUMNS * COLUMN_MS
/** The first tile that starts inside of the recorded hour. */
const TILE_FROM_MS = Math.ceil(PAST_HOUR_MS / TILE_MS) * TILE_MS
const FIRST_OFFSET = TILE_FROM_MS / INTERVAL_MS - FIRST_SLOT
/** Offsets of the tile: 20 slots are missing, four are in doubt. */
const [MISSING_FROM, MISSING_TO] = [FIRST_OFFSET + 40, FIRST_OFFSET + 59]
const [SUSPECT_FROM, SUSPECT_TO] = [FIRST_OFFSET + 101, FIRST_OFFSET + 104]

let service: TestService
let past: PastMarket
let key: string

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('pro')
  past = await PastMarket.save(service, 'heatmap')
  await asWriter(service, (client) => client.command({ query: 'SYSTEM STOP MERGES snapshots' }))
  await past.putRows([...past.rows(0, MISSING_FROM - 1), ...past.rows(MISSING_TO + 1, SLOTS - 1)])
  await past.putRows(past.rows(MISSING_TO + 1, MISSING_TO + 20))
  await past.putGaps([
    past.gap(MISSING_FROM, MISSING_TO),
    past.gap(SUSPECT_FROM, SUSPECT_TO, { cause: 'hash_mismatch', kind: 'suspect' }),
  ])
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

function tile(query = '', as = key) {
  const path = `/v1/markets/${past.market.id}/heatmap?from=${TILE_FROM_MS}&column_ms=${COLUMN_MS}${query}`
  return service.ask(path, { key: as })
}

const isStored = (offset: number): boolean => offset < MISSING_FROM || offset > MISSING_TO

/** Column by column from the rows, without SQL. */
function expectedBytes(levelsOf: (ladders: Ladders) => readonly Level[], isDown: boolean, stepUnits: number): number[] {
  const rows = PRICE_ONE / stepUnits
  const largest = new Array<number>(TILE_COLUMNS * rows).fill(0)
  for (let place = 0; place < TILE_COLUMNS * COLUMN_SLOTS; place++) {
    const offset = FIRST_OFFSET + place
    if (!isStored(offset)) continue
    const up = laddersOf(offset)
    const sums = new Map<number, number>()
    for (const { price, size } of levelsOf(isDown ? mirrorOf(up) : up)) {
      const step = Math.floor(price / stepUnits)
      sums.set(step, (sums.get(step) ?? 0) + size)
    }
    for (const [step, size] of sums) {
      const cell = Math.floor(place / COLUMN_SLOTS) * rows + step
      largest[cell] = Math.max(largest[cell] ?? 0, size)
    }
  }
  return largest.map((size) => codeOfSize(size / SIZE_ONE, MARKET_SCALE))
}

test.each([
  ['UP', '0.01'],
  ['DOWN', '0.01'],
  ['UP', '0.05'],
  ['DOWN', '0.05'],
  ['UP', '0.001'],
])(
  'the tile of %s in steps of %s has the largest sums of its rows; a row stored twice counts once',
  async (side, step) => {
    const { status, body } = await tile(`&side=${side}&price_step=${step}`)
    expect(status).toBe(200)
    const stepUnits = Number(step) * PRICE_ONE
    expect(body).toMatchObject({ side, columns: 256, rows: PRICE_ONE / stepUnits, price_from: 0, revision: 1 })
    const bytes = (text: string): number[] => [...Buffer.from(text, 'base64')]
    expect(bytes(body.bids)).toEqual(expectedBytes(({ bids }) => bids, side === 'DOWN', stepUnits))
    expect(bytes(body.asks)).toEqual(expectedBytes(({ asks }) => asks, side === 'DOWN', stepUnits))
  },
)

test('each column has its best prices and its stored, expected and doubtful slots', async () => {
  const { body } = await tile()
  expect(body).toMatchObject({ from: instantOf(TILE_FROM_MS), column_ms: COLUMN_MS, is_final: true })
  expect(body.expected).toEqual(new Array(256).fill(COLUMN_SLOTS))
  expect(body.stored.slice(9, 16)).toEqual([4, 0, 0, 0, 0, 0, 4])
  expect(body.suspect.slice(24, 28)).toEqual([0, 3, 1, 0])
  expect(body.best_bid.slice(9, 16)).toEqual([bestBidAt(39), null, null, null, null, null, bestBidAt(63)])
  expect(body.best_ask[9]).toBeCloseTo(bestBidAt(39) + 0.02, 9)
})

function bestBidAt(place: number): number {
  return (laddersOf(FIRST_OFFSET + place).bids[0]?.price ?? 0) / PRICE_ONE
}

test('any time of a tile gives the tile; without column_ms a column has 16 slots', async () => {
  const path = `/v1/markets/${past.market.id}/heatmap?from=`
  const { body } = await service.ask(`${path}${TILE_FROM_MS + 12_345}&column_ms=${COLUMN_MS}`, { key })
  expect(body.from).toBe(instantOf(TILE_FROM_MS))
  const wide = await service.ask(`${path}${PAST_HOUR_MS}`, { key })
  expect(wide.body.column_ms).toBe(16 * INTERVAL_MS)
  const stored = wide.body.stored.reduce((sum: number, count: number) => sum + count, 0)
  const from = Date.parse(wide.body.from) / INTERVAL_MS - FIRST_SLOT
  const offsets = Array.from({ length: SLOTS }, (_, offset) => offset)
  expect(stored).toBe(offsets.filter((offset) => offset < from + 16 * 256 && isStored(offset)).length)
})

test('a final tile is kept in memory until its hour is corrected', async () => {
  const first = await tile('&price_step=0.005')
  expect(first.headers['cache-control']).toBe('private, max-age=3600')
  // Otherwise a browser would give the answer for one key to another.
  expect(first.headers.vary).toContain('x-api-key, authorization')
  const keptBytes = service.stores.finalTiles.byteCount
  expect((await tile('&price_step=0.005')).body).toEqual(first.body)
  expect(service.stores.finalTiles.byteCount).toBe(keptBytes)
  const corrections = new Corrections(service.access.database)
  const hour = { marketId: past.market.id, hourMs: PAST_HOUR_MS }
  const changes = { snapshots: 1, gaps: 0, trades: 0 }
  const revision = await corrections.begin(hour, 'a test', changes)
  // The API asks for corrections once a second.
  service.clock.nowMs += 1_000
  const during = await tile('&price_step=0.005')
  expect(during.body).toMatchObject({ is_final: false, revision: 1 })
  expect(during.headers['cache-control']).toBe('no-store')
  await corrections.finish(hour, revision)
  service.clock.nowMs += 1_000
  expect((await tile('&price_step=0.005')).body).toEqual({ ...first.body, revision: 2 })
  expect(service.stores.finalTiles.byteCount).toBeGreaterThan(keptBytes)
})

test('a tile whose end is not stored yet is not final', async () => {
  const late = await PastMarket.save(service, 'late heatmap')
  await late.putRows(late.rows(0, FIRST_OFFSET + 500))
  const path = `/v1/markets/${late.market.id}/heatmap?from=${TILE_FROM_MS}&column_ms=${COLUMN_MS}`
  const { body, headers } = await service.ask(path, { key })
  expect([body.is_final, headers['cache-control']]).toEqual([false, 'no-store'])
  await late.putRows(late.rows(FIRST_OFFSET + 501, SLOTS - 1))
  expect((await service.ask(path, { key })).body).toMatchObject({ is_final: true, stored: new Array(256).fill(4) })
})

test('a tile outside of the recorded time is empty with the reason', async () => {
  const path = `/v1/markets/${past.market.id}/heatmap?from=${PAST_HOUR_MS - 2 * HOUR_MS}`
  const { status, body, headers } = await service.ask(path, { key })
  expect([status, headers['x-empty-reason']]).toEqual([200, 'outside_capture'])
  expect([body.stored, body.expected]).toEqual([new Array(256).fill(0), new Array(256).fill(0)])
})

test('the tile with the oldest time of a tier has only the columns since then', async () => {
  const free = await service.keyOf('free')
  const columnMs = 4 * COLUMN_MS
  const tileMs = TILE_COLUMNS * columnMs
  const oldestMs = service.nowMs() - 24 * HOUR_MS
  const tileFromMs = Math.floor(oldestMs / tileMs) * tileMs
  const offsetAt = (ms: number): number => Math.floor(ms / INTERVAL_MS) - FIRST_SLOT
  const old = await PastMarket.save(service, 'a day ago', { startsAtMs: tileFromMs, endsAtMs: service.nowMs() })
  const [first, last] = [offsetAt(tileFromMs), offsetAt(tileFromMs + 2 * tileMs)]
  await old.putRows(
    Array.from({ length: (last - first) / 8 }, (_, index) =>
      old.row(first + 8 * index, { up: laddersOf(index), spotPrice: 0 }),
    ),
  )
  const tileAt = async (ms: number, as: string) =>
    service.ask(`/v1/markets/${old.market.id}/heatmap?from=${ms}&column_ms=${columnMs}`, { key: as })
  const { status, body } = await tileAt(tileFromMs, free)
  expect([status, body.from]).toEqual([200, instantOf(tileFromMs)])
  const whole = (await tileAt(tileFromMs, key)).body
  const shown = body.expected.findIndex((count: number) => count > 0)
  expect(shown).toBe(Math.ceil((oldestMs - tileFromMs) / columnMs))
  for (const name of ['bids', 'asks'] as const) {
    const [cut, all] = [body, whole].map((each) => [...Buffer.from(each[name], 'base64')])
    expect(cut).toEqual(all?.fill(0, 0, shown * whole.rows))
  }
  const refused = await tileAt(tileFromMs - 1, free)
  expect([refused.status, refused.body.error]).toEqual([403, 'tier_not_allowed'])
})

/** A key with so many credits, of an account that has had the free exact books of the day. */
async function keyFor(creditLimit: number): Promise<string> {
  const { accountId } = await service.newAccount('pro')
  await service.access.accessControl.countBooks({ accountId }, FREE_BOOKS_PER_DAY)
  return (await issueKey(service.access, { accountId, label: 'limited', creditLimit })).key
}

test.each([
  ['a tile that is not final', FIRST_OFFSET + 100, 3],
  ['a final tile', SLOTS - 1, 6],
])(
  '%s is charged once for an Idempotency-Key, and a retry returns it without later rows',
  async (name, newest, price) => {
    const retried = await PastMarket.save(service, name)
    await retried.putRows(retried.rows(0, newest))
    const limited = await keyFor(price)
    const path = `/v1/markets/${retried.market.id}/heatmap?from=${TILE_FROM_MS}&column_ms=${INTERVAL_MS}`
    const ask = () => service.ask(path, { key: limited, headers: { 'idempotency-key': 'lost' } })
    const first = await ask()
    expect([first.status, first.headers['x-credits-cost']]).toEqual([200, String(price)])
    await retried.putRows(retried.rows(newest + 1, newest + 100))
    const again = await ask()
    expect([again.status, again.headers['x-credits-cost'], again.headers['x-idempotent-replay']]).toEqual([
      200,
      '0',
      'true',
    ])
    expect(again.body).toEqual(first.body)
    expect((await service.ask(path, { key: limited })).status).toBe(402)
  },
)

test('an Idempotency-Key that has paid for something else changes no tile, neither for its caller nor for others', async () => {
  const save = async (name: string, hoursBefore: number) => {
    const startsAtMs = PAST_HOUR_MS - hoursBefore * HOUR_MS
    const market = await PastMarket.save(service, name, { startsAtMs, endsAtMs: startsAtMs + HOUR_MS })
    const first = (startsAtMs - PAST_HOUR_MS) / INTERVAL_MS
    await market.putRows(market.rows(first, first + 999).map((row) => ({ ...row, spotPrice: 1 })))
    return { id: market.market.id, startsAtMs }
  }
  const older = await save('older', 40)
  const wanted = await save('wanted', 30)
  const { key: mine } = await service.newAccount('pro')
  const headers = { 'idempotency-key': 'of the older one' }
  const { startsAtMs } = older
  const page = `/v1/markets/${older.id}/snapshots?from=${startsAtMs}&to=${startsAtMs + HOUR_MS}&limit=1`
  expect((await service.ask(page, { key: mine, headers })).headers['x-credits-cost']).toBe('10')
  const path = `/v1/markets/${wanted.id}/heatmap?from=${wanted.startsAtMs + 200_000}&column_ms=${COLUMN_MS}`
  const withKey = await service.ask(path, { key: mine, headers })
  expect(withKey.body.stored.some((rows: number) => rows > 0)).toBe(true)
  expect((await service.ask(path, { key })).body).toEqual(withKey.body)
})

import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeGap } from '../../src/domain/rows/gap.ts'
import { perpMarketId, writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { gapStore, type Hole } from '../../src/stores/books/gaps.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { openClickHouse } from './open-clickhouse.ts'
import { DAY_START_MS } from './random-rows.ts'

let stack: Stack
let client: ClickHouseClient

beforeAll(async () => {
  stack = await borrowStack({ engines: ['clickhouse'] })
  client = openClickHouse(stack)
  await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
})
afterAll(async () => {
  await client.close()
  await stack.stop()
})

const INTERVALS_MS = [250, 3_000]
const NO_LADDERS = { bids: [], asks: [] }

/** Which steps have a row, and which ranges have a gap record. */
interface Story {
  market: number
  rows: number[]
  gaps: [from: number, length: number][]
}

const anyStory = (market: number): fc.Arbitrary<Story> =>
  fc.record({
    market: fc.constant(market),
    rows: fc.array(fc.nat(60), { maxLength: 60 }),
    gaps: fc.array(fc.tuple(fc.nat(60), fc.nat(12)), { maxLength: 6 }),
  })

const marketId = (market: number) => `0x${String(market).padStart(64, '0')}`
const intervalOf = (market: number) => INTERVALS_MS[market % 2] ?? 0
const firstSlotOf = (market: number) => DAY_START_MS / intervalOf(market)

async function store({ market, rows, gaps }: Story): Promise<void> {
  const writer = new RowWriter()
  const [intervalMs, firstSlot] = [intervalOf(market), firstSlotOf(market)]
  const shared = { marketId: marketId(market), intervalMs }
  const times = { capturedAtMs: 0, eventAtMs: 0, receivedAtMs: 0 }
  const nothing = { flags: 0, spotPrice: 0, spotAgeMs: 0, changes: 0, up: NO_LADDERS, down: NO_LADDERS }
  for (const step of rows) writeSnapshot(writer, { ...shared, ...times, ...nothing, slot: firstSlot + step })
  if (writer.length > 0) await rowInserter(client).insertRaw('snapshots', 1, [writer.take()])
  for (const [from, length] of gaps) {
    const [fromSlot, toSlot] = [firstSlot + from, firstSlot + from + length]
    const why = { cause: 'disconnected', kind: 'missing', detail: '' } as const
    writeGap(writer, { ...shared, ...why, fromSlot, toSlot, knownAtSlot: toSlot })
  }
  if (writer.length > 0) await rowInserter(client).insertRaw('gaps', 1, [writer.take()])
}

/** The same, slot by slot. */
function holesIn({ market, rows, gaps }: Story): Hole[] {
  const covered = new Set(rows)
  for (const [from, length] of gaps) for (let step = from; step <= from + length; step++) covered.add(step)
  const steps = [...covered].sort((one, other) => one - other)
  const firstSlot = firstSlotOf(market)
  return steps.flatMap((step, index) => {
    const before = steps[index - 1]
    if (before === undefined || before + 1 === step) return []
    const [fromSlot, toSlot] = [firstSlot + before + 1, firstSlot + step - 1]
    return [{ marketId: marketId(market), intervalMs: intervalOf(market), fromSlot, toSlot }]
  })
}

test('every missing slot without a record is listed, and nothing else', async () => {
  const stories = fc.tuple(anyStory(1), anyStory(2), anyStory(3))
  const span = { fromMs: DAY_START_MS, toMs: DAY_START_MS + 86_400_000 }
  const property = fc.asyncProperty(stories, async (stored) => {
    for (const table of ['snapshots', 'gaps']) await client.command({ query: `TRUNCATE TABLE ${table}` })
    for (const story of stored) await store(story)
    expect(await gapStore(client).uncoveredHoles(span)).toEqual(stored.flatMap(holesIn))
  })
  await fc.assert(property, { numRuns: 25 })
})

test('a gap that began before the requested time still covers', async () => {
  for (const table of ['snapshots', 'gaps']) await client.command({ query: `TRUNCATE TABLE ${table}` })
  await store({ market: 2, rows: [0, 59], gaps: [[1, 57]] })
  const span = { fromMs: DAY_START_MS + 250 * 30, toMs: DAY_START_MS + 86_400_000 }
  expect(await gapStore(client).uncoveredHoles(span)).toEqual([])
  await store({ market: 2, rows: [62], gaps: [] })
  const [hole] = await gapStore(client).uncoveredHoles(span)
  expect(hole?.fromSlot).toBe(firstSlotOf(2) + 60)
})

test('a suspect gap explains rows that exist, never a missing slot', async () => {
  for (const table of ['snapshots', 'gaps']) await client.command({ query: `TRUNCATE TABLE ${table}` })
  await store({ market: 2, rows: [0, 5], gaps: [] })
  const [fromSlot, toSlot] = [firstSlotOf(2) + 1, firstSlotOf(2) + 4]
  const writer = new RowWriter()
  const doubt = { cause: 'hash_mismatch', kind: 'suspect', detail: '' } as const
  writeGap(writer, {
    marketId: marketId(2),
    intervalMs: intervalOf(2),
    ...doubt,
    fromSlot,
    toSlot,
    knownAtSlot: toSlot,
  })
  await rowInserter(client).insertRaw('gaps', 1, [writer.take()])
  const span = { fromMs: DAY_START_MS, toMs: DAY_START_MS + 86_400_000 }
  expect(await gapStore(client).uncoveredHoles(span)).toMatchObject([{ fromSlot, toSlot }])
})

test('the rows of a perp cover its slots between two of its gaps', async () => {
  for (const table of ['snapshots', 'gaps', 'perp_snapshots'])
    await client.command({ query: `TRUNCATE TABLE ${table}` })
  const intervalMs = 500
  const first = DAY_START_MS / intervalMs
  const writer = new RowWriter()
  const gap = {
    marketId: perpMarketId('hyperliquid', 'BTC'),
    intervalMs,
    cause: 'late_slot',
    kind: 'missing',
    detail: '',
  } as const
  for (const slot of [first, first + 4]) writeGap(writer, { ...gap, fromSlot: slot, toSlot: slot, knownAtSlot: slot })
  await rowInserter(client).insertRaw('gaps', 1, [writer.take()])
  const touch = { bidPrice: 1, bidSize: 1, askPrice: 2, askSize: 1, eventAtMs: 0 }
  const row = { venue: 'hyperliquid', symbol: 'BTC', intervalMs, capturedAtMs: 0, eventAtMs: 0, receivedAtMs: 0 }
  for (const slot of [first + 1, first + 3])
    writePerpSnapshot(writer, { ...row, slot, ladders: { bids: [], asks: [] }, touch })
  await rowInserter(client).insertRaw('perp_snapshots', 1, [writer.take()])
  const span = { fromMs: DAY_START_MS, toMs: DAY_START_MS + 86_400_000 }
  const holes = await gapStore(client).uncoveredHoles(span)
  expect(holes).toEqual([{ marketId: gap.marketId, intervalMs, fromSlot: first + 2, toSlot: first + 2 }])
})

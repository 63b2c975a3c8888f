import { afterAll, beforeAll, expect, test } from 'vitest'
import { BatchWriter, type EncodedBatch } from '../../src/bus/batch-writer.ts'
import { REASON_HEADER } from '../../src/bus/dead-letters.ts'
import { rowStreamOf } from '../../src/bus/row-streams.ts'
import { DEAD_STREAM, deadSubject } from '../../src/bus/subjects.ts'
import { writeGap } from '../../src/domain/rows/gap.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { type RowInserter, rowInserter } from '../../src/stores/books/row-inserter.ts'
import { INTERVAL_MS, START_MS, snapshotOf, tickBatches } from '../bus/tick-batches.ts'
import { type ArchiveBench, openArchiveBench, range } from './archive-bench.ts'

let bench: ArchiveBench
beforeAll(async () => {
  bench = await openArchiveBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

async function clearTables(): Promise<void> {
  for (const table of ['snapshots', 'gaps', 'market_days'])
    await bench.client.command({ query: `TRUNCATE TABLE ${table}` })
  await bench.bus.manager.streams.purge(DEAD_STREAM)
}

async function deadCount(): Promise<number> {
  return (await bench.bus.manager.streams.info(DEAD_STREAM)).state.messages
}

async function archiveAll(): Promise<void> {
  const end = await bench.startArchive()
  await expect.poll(() => bench.waiting()).toBe(0)
  await end()
}

const span = { fromMs: START_MS, toMs: START_MS + 3_600_000 }

test('every row is stored before its message is acknowledged, and a redelivered message changes nothing', async () => {
  await clearTables()
  await bench.send(tickBatches({ ticks: 50, markets: 20 }))
  await archiveAll()
  await bench.send(tickBatches({ ticks: 50, markets: 20, epoch: 2 }))
  await archiveAll()
  for (const market of [0, 7, 19]) expect(await bench.slotsOf(market)).toEqual(range(50))
  expect(await gapStore(bench.client).uncoveredHoles(span)).toEqual([])
})

test('a failed insert is repeated before the message is acknowledged, and gaps are stored before books', async () => {
  await clearTables()
  const snapshot = snapshotOf(0, 0)
  const { marketId, slot, intervalMs } = snapshot
  const [row, gap] = [new RowWriter(), new RowWriter()]
  writeSnapshot(row, snapshot)
  const slots = { fromSlot: slot - 4, toSlot: slot - 1, knownAtSlot: slot }
  writeGap(gap, { marketId, intervalMs, ...slots, cause: 'disconnected', kind: 'missing', detail: '' })
  const writer = new BatchWriter({ shard: 'polymarket.1', epoch: 7 })
  writer.addSnapshot(row.take(), snapshot)
  writer.addRow('gaps', gap.take(), START_MS)
  const tried: string[] = []
  const rows: RowInserter = {
    async insertRaw(table, ...rest) {
      tried.push(table)
      if (tried.length % 2 === 1) throw new Error('no answer')
      await rowInserter(bench.client).insertRaw(table, ...rest)
    },
  }
  await bench.send(writer.take(START_MS))
  const end = await bench.startArchive({ firstRetryMs: 1 }, rows)
  await expect.poll(() => bench.waiting()).toBe(0)
  await end()
  expect(tried).toEqual(['gaps', 'gaps', 'snapshots', 'snapshots'])
  expect(await bench.slotsOf(0)).toEqual([0])
})

test('an archive that is stopped stores what it has received and leaves the rest on the bus', async () => {
  await clearTables()
  await bench.send(tickBatches({ ticks: 60, markets: 5, epoch: 3 }))
  const end = await bench.startArchive({ groupMessages: 10 })
  await expect.poll(() => bench.waiting(), { interval: 2 }).toBeLessThan(60)
  await end()
  const left = await bench.waiting()
  const stored = await bench.slotsOf(0)
  expect(stored).toEqual(range(60 - left))
  const stream = rowStreamOf('polymarket.1')
  expect((await bench.bus.manager.consumers.info(stream, 'archive')).num_ack_pending).toBe(0)
  await archiveAll()
})

test('a message that ClickHouse refuses becomes a dead letter with gaps in its place, and the messages around it are stored', async () => {
  await clearTables()
  const batches = tickBatches({ ticks: 30, markets: 4, epoch: 4 })
  const poisoned = poisonedBatch(30, 4)
  await bench.send([...batches.slice(0, 12), poisoned, ...batches.slice(12)])
  await archiveAll()

  for (const market of range(4)) expect(await bench.slotsOf(market)).toEqual(range(30))
  const letter = await bench.bus.manager.streams.getMessage(DEAD_STREAM, { last_by_subj: deadSubject('polymarket.1') })
  expect(Buffer.from(letter?.data ?? []).equals(poisoned.bytes)).toBe(true)
  expect(letter?.header.get(REASON_HEADER)).toMatch(/^snapshots: \w+/)
  expect(await deadCount()).toBe(1)
  for (const market of range(4)) {
    const { marketId } = snapshotOf(market, 0)
    const gaps = await gapStore(bench.client).range({ marketId, intervalMs: INTERVAL_MS, ...span })
    const fromSlot = START_MS / INTERVAL_MS + 30
    expect(gaps).toMatchObject([{ fromSlot, toSlot: fromSlot, cause: 'undecodable', kind: 'missing' }])
  }
})

test('a message with damaged bytes becomes a dead letter', async () => {
  await clearTables()
  const batches = tickBatches({ ticks: 10, markets: 2, epoch: 5 })
  const broken = batches.map((batch) => ({ ...batch, bytes: Buffer.from(batch.bytes) }))
  const [one] = broken.splice(4, 1)
  if (one === undefined) throw new Error('no batch')
  one.bytes[200] = (one.bytes[200] ?? 0) ^ 1
  await bench.send([...broken, one])
  await archiveAll()
  expect(await bench.slotsOf(1)).toEqual(range(10).filter((tick) => tick !== 4))
  expect(await deadCount()).toBe(1)
  const holes = await gapStore(bench.client).uncoveredHoles(span)
  expect(holes.map(({ fromSlot }) => fromSlot - START_MS / INTERVAL_MS)).toEqual([4, 4])
})

test('a message that cannot become a dead letter stays on the bus, and others are stored', async () => {
  await clearTables()
  await bench.bus.manager.streams.update(DEAD_STREAM, { max_bytes: 10 })
  await bench.send([poisonedBatch(40, 2), ...tickBatches({ ticks: 10, markets: 2, epoch: 6 })])
  const end = await bench.startArchive({ redeliverMs: 200 })
  await expect.poll(() => bench.waiting()).toBe(1)
  expect(await bench.slotsOf(1)).toEqual(range(10))
  await bench.bus.manager.streams.update(DEAD_STREAM, { max_bytes: 10_000_000 })
  await expect.poll(() => bench.waiting()).toBe(0)
  expect(await deadCount()).toBe(1)
  await end()
})

/** A valid envelope around rows of which the last lacks a byte, so that decoding it reads into the next batch. */
function poisonedBatch(tick: number, markets: number): EncodedBatch {
  const writer = new BatchWriter({ shard: 'polymarket.1', epoch: 1_000 + tick })
  for (const market of range(markets)) {
    const snapshot = snapshotOf(market, tick)
    const row = new RowWriter()
    writeSnapshot(row, snapshot)
    writer.addSnapshot(row.take().subarray(0, market === markets - 1 ? -1 : undefined), snapshot)
  }
  const [batch] = writer.take(START_MS + tick * INTERVAL_MS)
  if (batch === undefined) throw new Error('no batch')
  return batch
}

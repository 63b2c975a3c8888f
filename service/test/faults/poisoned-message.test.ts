import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BatchWriter, type EncodedBatch } from '../../src/bus/batch-writer.ts'
import { DEAD_STREAM } from '../../src/bus/subjects.ts'
import { type PerpSnapshot, perpMarketId, writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { type ArchiveBench, openArchiveBench, range } from '../archive/archive-bench.ts'
import { INTERVAL_MS, marketIdOf, START_MS, tickBatches } from '../bus/tick-batches.ts'
import { valuesOf } from '../clickhouse/open-clickhouse.ts'
import { clearTables } from './check-stored-rows.ts'

let bench: ArchiveBench
let epoch = 0
beforeAll(async () => {
  bench = await openArchiveBench()
})
afterAll(() => bench?.[Symbol.asyncDispose]())
beforeEach(async () => {
  await clearTables(bench.client)
  await bench.bus.manager.streams.purge(DEAD_STREAM)
  epoch++
})

const FIRST_SLOT = START_MS / INTERVAL_MS
const span = { fromMs: START_MS - 1_000, toMs: START_MS + 3_600_000 }
const uncoveredHoles = () => gapStore(bench.client).uncoveredHoles(span)

describe('an unreadable message is moved to the dead letters, and its slots get gap records', () => {
  const DAMAGES: [what: string, damage: (bytes: Buffer) => Buffer][] = [
    ['a bit of a row flipped', (bytes) => flipped(bytes, bytes.length - 30)],
    ['a bit of its tick flipped', (bytes) => flipped(bytes, 33)],
    ['a bit of a market id flipped', (bytes) => flipped(bytes, 70)],
    ['its end cut off', (bytes) => bytes.subarray(0, 300)],
    ['nothing but zeros', (bytes) => Buffer.alloc(bytes.length)],
  ]

  test(`each kind of damage: ${DAMAGES.map(([what]) => what).join(', ')}`, async () => {
    const damagedAt = DAMAGES.map((_, index) => 4 + 3 * index)
    const batches = tickBatches({ ticks: 20, markets: 3, epoch }).map((batch, tick) => {
      const [, damage] = DAMAGES[damagedAt.indexOf(tick)] ?? []
      return damage === undefined ? batch : { ...batch, bytes: damage(batch.bytes) }
    })
    await archive(batches)
    for (const market of range(3)) {
      expect(await bench.slotsOf(market)).toEqual(range(20).filter((tick) => !damagedAt.includes(tick)))
      const gaps = await gapsOf(marketIdOf(market))
      expect(gaps.map(({ fromSlot }) => fromSlot - FIRST_SLOT)).toEqual(damagedAt)
      for (const { fromSlot, toSlot, cause, kind } of gaps)
        expect([toSlot, cause, kind]).toEqual([fromSlot, 'undecodable', 'missing'])
    }
    expect(await uncoveredHoles()).toEqual([])
    expect(await deadCount()).toBe(DAMAGES.length)
  })

  test('several in a row in one shard, while another shard continues', async () => {
    const batches = tickBatches({ ticks: 20, markets: 3, epoch })
    const others = otherShard(20)
    const poisoned = batches.map((batch, tick) => {
      return tick >= 6 && tick < 9 ? { ...batch, bytes: flipped(batch.bytes, 60) } : batch
    })
    await archive(poisoned.flatMap((batch, tick) => [batch, ...others.slice(tick, tick + 1)]))
    expect(await gapsOf(marketIdOf(2))).toMatchObject([{ fromSlot: FIRST_SLOT + 6, toSlot: FIRST_SLOT + 8 }])
    expect(await valuesOf(bench.client, 'SELECT DISTINCT cause FROM gaps')).toEqual(['undecodable'])
    expect(await gapsOf(perpId('BTC'))).toEqual([])
    expect(await uncoveredHoles()).toEqual([])
    expect(await deadCount()).toBe(3)
  })

  test('an archive that ends before it writes the gap records leaves the message to the next archive', async () => {
    const batches = tickBatches({ ticks: 20, markets: 3, epoch })
    await bench.send(batches.map((batch, tick) => (tick === 9 ? { ...batch, bytes: flipped(batch.bytes, 60) } : batch)))
    const end = await bench.startArchive({ unreadableWaitMs: 60_000 })
    await expect.poll(() => bench.waiting()).toBe(1)
    await end()
    expect([await bench.waiting(), await deadCount()]).toEqual([1, 0])
    await archive(tickBatches({ ticks: 25, markets: 3, epoch: epoch + 1_000 }).slice(20))
    expect(await gapsOf(marketIdOf(0))).toMatchObject([{ fromSlot: FIRST_SLOT + 9, toSlot: FIRST_SLOT + 9 }])
    expect(await uncoveredHoles()).toEqual([])
    expect(await deadCount()).toBe(1)
  })
})

test('perp rows that ClickHouse refuses get gap records, whether they can be decoded or not', async () => {
  const damages = new Map([
    [5, (row: Buffer) => Buffer.concat([row, Buffer.alloc(1)])],
    [9, (row: Buffer) => row.subarray(0, -1)],
  ])
  await archive(perpTicks(20, (row, tick) => damages.get(tick)?.(row) ?? row))
  for (const symbol of ['BTC', 'ETH']) {
    const gaps = await gapsOf(perpId(symbol))
    const found = gaps.map(({ fromSlot, toSlot, cause }) => [fromSlot - FIRST_SLOT, toSlot - FIRST_SLOT, cause])
    expect(found, symbol).toEqual([...damages.keys()].map((tick) => [tick, tick, 'undecodable']))
  }
  expect(await uncoveredHoles()).toEqual([])
  expect(await deadCount()).toBe(damages.size)
})

async function archive(batches: readonly EncodedBatch[]): Promise<void> {
  await bench.send(batches)
  const end = await bench.startArchive()
  await expect.poll(() => bench.waiting()).toBe(0)
  await end()
}

async function deadCount(): Promise<number> {
  return (await bench.bus.manager.streams.info(DEAD_STREAM)).state.messages
}

function gapsOf(marketId: string) {
  return gapStore(bench.client).range({ marketId, intervalMs: INTERVAL_MS, ...span })
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

function perpId(symbol: string): string {
  return perpMarketId('hyperliquid', symbol)
}

function otherShard(ticks: number): EncodedBatch[] {
  return perpTicks(ticks, (row) => row, 'polymarket.2')
}

/** Two perps a tick; `damage` changes the bytes of the second. */
function perpTicks(
  ticks: number,
  damage: (row: Buffer, tick: number) => Buffer,
  shard = 'polymarket.1',
): EncodedBatch[] {
  const writer = new BatchWriter({ shard, epoch })
  return range(ticks).flatMap((tick) => {
    const atMs = START_MS + tick * INTERVAL_MS
    for (const symbol of ['BTC', 'ETH']) {
      const row = new RowWriter()
      writePerpSnapshot(row, perpAt(symbol, atMs))
      writer.addRow('perp_snapshots', symbol === 'ETH' ? damage(row.take(), tick) : row.take(), atMs)
    }
    return writer.take(atMs)
  })
}

function perpAt(symbol: string, atMs: number): PerpSnapshot {
  const times = { capturedAtMs: atMs, eventAtMs: atMs, receivedAtMs: atMs }
  const ladders = { bids: [{ price: 1, size: 1, orders: 1 }], asks: [{ price: 2, size: 1, orders: 1 }] }
  const touch = { bidPrice: 1, bidSize: 1, askPrice: 2, askSize: 1, eventAtMs: atMs }
  return { venue: 'hyperliquid', symbol, slot: atMs / INTERVAL_MS, intervalMs: INTERVAL_MS, ...times, ladders, touch }
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BrokenBatch, DAY_MS, decodeBatch, messageId } from '../../src/bus/batch.ts'
import { BatchWriter, type EncodedBatch } from '../../src/bus/batch-writer.ts'
import { type Gap, readGap, writeGap } from '../../src/domain/rows/gap.ts'
import { RowReader, RowWriter } from '../../src/domain/rows/row-binary.ts'
import { readSnapshot, type Snapshot, writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { anyGap, anySnapshot, DAY_START_MS } from '../clickhouse/random-rows.ts'

const TICK_AT_MS = DAY_START_MS + 5_000

function bytesOf<Row>(write: (writer: RowWriter, row: Row) => void, row: Row): Buffer {
  const writer = new RowWriter(16)
  write(writer, row)
  return writer.take()
}

function encode(snapshots: readonly Snapshot[], gaps: readonly Gap[], closeAtBytes = 448 * 1024): EncodedBatch[] {
  const writer = new BatchWriter({ shard: 'polymarket.3', epoch: 2 ** 40, closeAtBytes })
  for (const snapshot of snapshots) writer.addSnapshot(bytesOf(writeSnapshot, snapshot), snapshot)
  for (const gap of gaps) writer.addRow('gaps', bytesOf(writeGap, gap), gap.fromSlot * gap.intervalMs)
  return writer.take(TICK_AT_MS)
}

/** The rows of a table in all messages, one after the other. */
function rowsIn<Row>(batches: readonly EncodedBatch[], table: string, read: (reader: RowReader) => Row): Row[] {
  return batches
    .flatMap(({ bytes }) => decodeBatch(bytes).sections)
    .filter((section) => section.table === table)
    .flatMap(({ bytes, rowCount }) => {
      const reader = new RowReader(bytes)
      const rows = Array.from({ length: rowCount }, () => read(reader))
      expect(reader.isAtEnd).toBe(true)
      return rows
    })
}

const someSnapshots = fc.array(anySnapshot, { maxLength: 12 })
const someGaps = fc.array(anyGap, { maxLength: 5 })

describe('a batch', () => {
  test('decodes to the rows that were encoded, however it was split', () => {
    const anySplit = fc.integer({ min: 1, max: 20_000 })
    const property = fc.property(someSnapshots, someGaps, anySplit, (snapshots, gaps, closeAtBytes) => {
      const batches = encode(snapshots, gaps, closeAtBytes)
      expect(rowsIn(batches, 'snapshots', readSnapshot)).toEqual(snapshots)
      expect(rowsIn(batches, 'gaps', readGap)).toEqual(gaps)
      const heads = batches.map(({ bytes }) => decodeBatch(bytes))
      expect(heads.map(messageId)).toEqual(batches.map((_, n) => `polymarket.3:${2 ** 40}:${n}`))
      expect(heads.every(({ tickAtMs }) => tickAtMs === TICK_AT_MS)).toBe(true)
    })
    fc.assert(property, { numRuns: 100 })
  })

  test('finds the row of a market without a scan, and none for a market that it does not hold', () => {
    const property = fc.property(
      fc.uniqueArray(anySnapshot, { selector: ({ marketId }) => marketId, minLength: 1, maxLength: 12 }),
      (snapshots) => {
        const [batch] = encode(snapshots, [])
        if (batch === undefined) throw new Error('no batch')
        const decoded = decodeBatch(batch.bytes)
        const [section] = decoded.sections
        if (section === undefined) throw new Error('no section')
        for (const snapshot of snapshots)
          expect(readSnapshot(new RowReader(section.bytes, decoded.offsetOf(snapshot.marketId)))).toEqual(snapshot)
        expect(decoded.offsetOf(`0x${'5a'.repeat(32)}`)).toBeUndefined()
        expect(decoded.index().map(({ marketId }) => marketId)).toEqual(
          snapshots.map(({ marketId }) => marketId).sort(),
        )
      },
    )
    fc.assert(property, { numRuns: 50 })
  })

  test('with any byte changed is refused with one kind of error', () => {
    const [batch] = encode(fc.sample(anySnapshot, { numRuns: 3, seed: 7 }), fc.sample(anyGap, { numRuns: 2, seed: 7 }))
    if (batch === undefined) throw new Error('no batch')
    for (let at = 0; at < batch.bytes.length; at++) {
      const broken = Buffer.from(batch.bytes)
      broken[at] = (broken[at] ?? 0) ^ (1 + (at % 255))
      expect(() => decodeBatch(broken), `byte ${at}`).toThrow(BrokenBatch)
    }
  })

  test('cut short, lengthened or not a batch at all is refused', () => {
    const [batch] = encode(fc.sample(anySnapshot, { numRuns: 2, seed: 9 }), [])
    if (batch === undefined) throw new Error('no batch')
    const { bytes } = batch
    for (let length = 0; length < bytes.length; length += 7)
      expect(() => decodeBatch(bytes.subarray(0, length))).toThrow(BrokenBatch)
    expect(() => decodeBatch(Buffer.concat([bytes, bytes]))).toThrow(BrokenBatch)
    const ownMagic = fc.uint8Array({ maxLength: 400 }).map((rest) => Buffer.concat([Buffer.from('BKRL\x01'), rest]))
    const garbage = fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), ownMagic), (data) => {
      expect(() => decodeBatch(data)).toThrow(BrokenBatch)
    })
    fc.assert(garbage, { numRuns: 500 })
  })
})

describe('messages', () => {
  test('stay well below the size limit of the server, even with a book at every price', () => {
    const level = Array.from({ length: 9_999 }, (_, price) => ({ price, size: 1 }))
    const huge = fc.sample(anySnapshot, { numRuns: 6, seed: 1 }).map((snapshot) => ({
      ...snapshot,
      flags: 0,
      up: { bids: level, asks: level },
      down: { bids: level, asks: level },
    }))
    const batches = encode(huge, [])
    expect(Math.max(...batches.map(({ bytes }) => bytes.length))).toBeLessThan(1024 ** 2)
    expect(rowsIn(batches, 'snapshots', readSnapshot)).toHaveLength(6)
  })

  test('never span two days', () => {
    const [snapshot] = fc.sample(anySnapshot, { numRuns: 1, seed: 1 })
    if (snapshot === undefined) throw new Error('no snapshot')
    const perDay = DAY_MS / 250
    const firstSlot = Math.floor(DAY_START_MS / 250)
    const around = [-1, 0, 1, perDay - 1, perDay].map((step) => ({
      ...snapshot,
      intervalMs: 250,
      slot: firstSlot + step,
    }))
    const days = encode(around, []).map(({ bytes, day }) => {
      expect(decodeBatch(bytes).day).toBe(day)
      return [day, rowsIn([{ bytes } as EncodedBatch], 'snapshots', readSnapshot).map(({ slot }) => slot - firstSlot)]
    })
    const today = DAY_START_MS / DAY_MS
    expect(days).toEqual([
      [today - 1, [-1]],
      [today, [0, 1, perDay - 1]],
      [today + 1, [perDay]],
    ])
  })
})

import { expect, test } from 'vitest'
import { decodeBatch } from '../bus/batch.ts'
import { BatchWriter } from '../bus/batch-writer.ts'
import { mirrorOf } from '../domain/book.ts'
import { writeGap } from '../domain/rows/gap.ts'
import { RowWriter } from '../domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '../domain/rows/snapshot.ts'
import { LiveBoard } from './live-board.ts'

const ID = `0x${'ab'.repeat(32)}`
const NOW_MS = 1_794_700_000_000

function row(flags: number): Snapshot {
  const up = { bids: [{ price: 4_100, size: 5_000_000 }], asks: [{ price: 4_300, size: 7_000_000 }] }
  const common = { marketId: ID, slot: NOW_MS / 250, intervalMs: 250, capturedAtMs: NOW_MS, eventAtMs: NOW_MS - 40 }
  return { ...common, receivedAtMs: NOW_MS, flags, spotPrice: 0, spotAgeMs: 0, changes: 3, up, down: mirrorOf(up) }
}

function board(flags: number): LiveBoard {
  const writer = new RowWriter()
  const batches = new BatchWriter({ shard: 'polymarket.0', epoch: 1 })
  const snapshot = row(flags)
  writeSnapshot(writer, snapshot)
  batches.addSnapshot(writer.take(), snapshot)
  const gap = { marketId: `0x${'cd'.repeat(32)}`, fromSlot: 1, toSlot: 2, knownAtSlot: 2, intervalMs: 250, detail: '' }
  writeGap(writer, { ...gap, cause: 'disconnected', kind: 'missing' })
  batches.addRow('gaps', writer.take(), NOW_MS)
  const shown = new LiveBoard()
  for (const { bytes } of batches.take(NOW_MS)) shown.take(decodeBatch(bytes), NOW_MS + 12)
  return shown
}

const { verifiedUp, verifiedDown, mirrored } = SNAPSHOT_FLAGS

test('a person sees books, rates, the proved share, lag and open gaps', () => {
  const text = board(verifiedUp | verifiedDown | mirrored).render(NOW_MS + 20, new Map([[ID, 'btc-updown-5m-1']]))
  for (const part of ['markets 1', 'proved 100.00 %', 'lag 12 ms', 'open gaps 1', 'disconnected: 1 markets'])
    expect(text).toContain(part)
  expect(text).toMatch(/btc-updown-5m-1 +0\.41 \/ 0\.43 +1\+1 levels +60 ms/)
})

test('a row without a proof shows, and a gap that is told no more is over', () => {
  expect(board(verifiedUp | mirrored).render(NOW_MS + 20, new Map())).toContain('proved 0.00 %')
  expect(board(mirrored).render(NOW_MS + 10_000, new Map())).toContain('open gaps 0')
})

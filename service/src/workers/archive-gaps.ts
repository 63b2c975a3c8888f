import type { Delivery } from '../bus/archive-feed.ts'
import type { Batch } from '../bus/batch.ts'
import { writeGap } from '../domain/gap.ts'
import { RowWriter } from '../domain/row-binary.ts'
import { currentSchema } from '../domain/row-table.ts'
import type { InsertGroup } from './archive-insert.ts'

/** The records that stand where the snapshots of a refused message would have stood; the envelope knows their slots. */
export function gapsInPlaceOf(delivery: Delivery, batch: Batch): InsertGroup {
  const writer = new RowWriter()
  const entries = batch.index()
  for (const { marketId, slot, intervalMs } of entries)
    writeGap(writer, {
      marketId,
      fromSlot: slot,
      toSlot: slot,
      knownAtSlot: slot,
      cause: 'undecodable',
      kind: 'missing',
      intervalMs,
      detail: `message ${batch.shard}:${batch.epoch}:${batch.n} was refused`,
    })
  return {
    table: 'gaps',
    schema: currentSchema('gaps'),
    pieces: [{ delivery, bytes: writer.take(), rowCount: entries.length }],
  }
}

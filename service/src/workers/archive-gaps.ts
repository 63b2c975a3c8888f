import type { Delivery } from '../bus/archive-feed.ts'
import type { Batch, BatchSection } from '../bus/batch.ts'
import { writeGap } from '../domain/rows/gap.ts'
import { perpMarketId, perpSnapshotSchema } from '../domain/rows/perp-snapshot.ts'
import { RowReader, RowWriter } from '../domain/rows/row-binary.ts'
import { currentSchema, type RowTable } from '../domain/rows/row-table.ts'
import type { InsertGroup } from './archive-insert.ts'

interface SlotOfMarket {
  marketId: string
  slot: number
  intervalMs: number
}

const WITHOUT_SLOTS: readonly RowTable[] = ['gaps', 'trades', 'perp_trades', 'perp_contexts']

interface ReplacementGaps {
  gaps: InsertGroup | undefined
  /** False when the slots of some refused rows are not known. */
  isComplete: boolean
}

/** Gap records for the slots of rows that ClickHouse refused. */
export function gapsInPlaceOf(delivery: Delivery, batch: Batch, refused: ReadonlySet<RowTable>): ReplacementGaps {
  const slots: SlotOfMarket[] = refused.has('snapshots') ? batch.index() : []
  // Nothing is known about the times of refused gaps, trades and contexts.
  let isComplete = WITHOUT_SLOTS.every((table) => !refused.has(table))
  for (const section of batch.sections) {
    if (section.table !== 'perp_snapshots' || !refused.has('perp_snapshots')) continue
    const perps = perpSlots(section)
    slots.push(...perps)
    if (perps.length < section.rowCount) isComplete = false
  }
  if (slots.length === 0) return { gaps: undefined, isComplete }
  const writer = new RowWriter()
  for (const { marketId, slot, intervalMs } of slots)
    writeGap(writer, {
      marketId,
      fromSlot: slot,
      toSlot: slot,
      knownAtSlot: slot,
      cause: 'undecodable',
      kind: 'missing',
      intervalMs,
      detail: `message ${batch.shard}:${batch.epoch}:${batch.n} was refused by ClickHouse`,
    })
  const pieces = [{ delivery, bytes: writer.take(), rowCount: slots.length }]
  return { gaps: { table: 'gaps', schema: currentSchema('gaps'), pieces }, isComplete }
}

/** Perps have no index. The checksum was right, so every row that can be decoded is valid. */
function perpSlots({ schema, bytes, rowCount }: BatchSection): SlotOfMarket[] {
  const slots: SlotOfMarket[] = []
  const reader = new RowReader(bytes)
  try {
    while (!reader.isAtEnd && slots.length < rowCount) {
      const { venue, symbol, slot, intervalMs } = perpSnapshotSchema.read(reader, schema)
      slots.push({ marketId: perpMarketId(venue, symbol), slot, intervalMs })
    }
  } catch {}
  return slots
}

import type { Delivery } from '../bus/archive-feed.ts'
import type { Batch, BatchSection } from '../bus/batch.ts'
import { writeGap } from '../domain/rows/gap.ts'
import { perpMarketId, perpSnapshotSchema } from '../domain/rows/perp-snapshot.ts'
import { RowReader, RowWriter } from '../domain/rows/row-binary.ts'
import { currentSchema, type RowTable } from '../domain/rows/row-table.ts'
import type { InsertGroup } from './archive-insert.ts'

interface Place {
  marketId: string
  slot: number
  intervalMs: number
}

interface Replacement {
  gaps: InsertGroup | undefined
  /** False when rows were refused whose slots could not be told from the message. */
  isComplete: boolean
}

/** The records that stand where the refused rows of a message would have stood. */
export function gapsInPlaceOf(delivery: Delivery, batch: Batch, refused: ReadonlySet<RowTable>): Replacement {
  const places: Place[] = refused.has('snapshots') ? batch.index() : []
  let isComplete = !refused.has('gaps')
  for (const section of batch.sections) {
    if (section.table !== 'perp_snapshots' || !refused.has('perp_snapshots')) continue
    const perps = perpPlaces(section)
    places.push(...perps)
    if (perps.length < section.rowCount) isComplete = false
  }
  if (places.length === 0) return { gaps: undefined, isComplete }
  const writer = new RowWriter()
  for (const { marketId, slot, intervalMs } of places)
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
  const pieces = [{ delivery, bytes: writer.take(), rowCount: places.length }]
  return { gaps: { table: 'gaps', schema: currentSchema('gaps'), pieces }, isComplete }
}

/** Perps have no index. The envelope is sound, so a row that can be read was sampled. */
function perpPlaces({ schema, bytes, rowCount }: BatchSection): Place[] {
  const places: Place[] = []
  const reader = new RowReader(bytes)
  try {
    while (!reader.isAtEnd && places.length < rowCount) {
      const { venue, symbol, slot, intervalMs } = perpSnapshotSchema.read(reader, schema)
      places.push({ marketId: perpMarketId(venue, symbol), slot, intervalMs })
    }
  } catch {}
  return places
}

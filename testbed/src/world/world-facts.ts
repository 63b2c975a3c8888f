import type { Resolution } from '@bookreel/service/domain/market'
import { type Gap, isRowGap } from '@bookreel/service/domain/rows/gap'
import { type PerpSnapshot, perpSnapshotSchema, writePerpSnapshot } from '@bookreel/service/domain/rows/perp-snapshot'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema } from '@bookreel/service/domain/rows/row-table'
import { type Snapshot, writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { NEWEST_ROWS, type NewestPerpRow, type NewestRow } from '@bookreel/service/stores/books/newest-rows'
import type { Recording, SeenListing } from './recording.ts'

/** How much was recorded of a market or perp. */
export interface RecordedCounts {
  rows: number
  trades: number
  /** Of trades and contexts, only perps have the latter. */
  contexts: number
}

/** What is known about a recorded world besides its rows. */
export interface WorldFacts {
  readonly listings: readonly SeenListing[]
  readonly resolutions: readonly Resolution[]
  /** By id of the market, or name of the coin. */
  readonly counts: ReadonlyMap<string, RecordedCounts>
  /** The last record of each gap. */
  readonly gaps: readonly Gap[]
  readonly newest: readonly NewestRow[]
  readonly newestPerps: readonly NewestPerpRow[]
}

export function factsOf({ listings, resolutions, ticks }: Recording): WorldFacts {
  const counts = new Map<string, RecordedCounts>()
  const count = (id: string, what: keyof RecordedCounts): void => {
    const counted = counts.get(id) ?? { rows: 0, trades: 0, contexts: 0 }
    counts.set(id, counted)
    counted[what]++
  }
  const newest = new Map<string, Snapshot[]>()
  const newestPerps = new Map<string, PerpSnapshot>()
  const gaps = new Map<string, Gap>()
  for (const tick of ticks) {
    for (const snapshot of tick.snapshots) {
      count(snapshot.marketId, 'rows')
      newest.set(snapshot.marketId, [...(newest.get(snapshot.marketId) ?? []), snapshot].slice(-NEWEST_ROWS))
    }
    for (const { marketId } of tick.trades) count(marketId, 'trades')
    for (const perp of tick.perps) {
      count(perp.symbol, 'rows')
      newestPerps.set(perp.symbol, perp)
    }
    for (const { kind, row } of tick.tape) count(row.symbol, kind === 'trade' ? 'trades' : 'contexts')
    for (const gap of tick.gaps) if (isRowGap(gap)) gaps.set(`${gap.marketId} ${gap.fromSlot}`, gap)
  }
  return {
    listings,
    resolutions,
    counts,
    gaps: [...gaps.values()],
    newest: [...newest.values()].flat().map(newestRow),
    newestPerps: [...newestPerps.values()].map(newestPerpRow),
  }
}

function newestRow(snapshot: Snapshot): NewestRow {
  const writer = new RowWriter()
  writeSnapshot(writer, snapshot)
  const { marketId, slot } = snapshot
  return { marketId, slot, schema: currentSchema('snapshots'), bytes: writer.take() }
}

function newestPerpRow(perp: PerpSnapshot): NewestPerpRow {
  const writer = new RowWriter()
  writePerpSnapshot(writer, perp)
  const { venue, symbol, slot } = perp
  return { venue, symbol, slot, schema: perpSnapshotSchema.current, bytes: writer.take() }
}

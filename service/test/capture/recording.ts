import type { NatsConnection } from '@nats-io/transport-node'
import { decodeBatch } from '../../src/bus/batch.ts'
import { ALL_ROWS } from '../../src/bus/subjects.ts'
import { type Gap, isRowGap, readGap, type StoredGap, type TradeGap } from '../../src/domain/rows/gap.ts'
import { RowReader } from '../../src/domain/rows/row-binary.ts'
import { readSnapshot, type Snapshot } from '../../src/domain/rows/snapshot.ts'
import { readTrade, type Trade } from '../../src/domain/rows/trade.ts'

/** Everything that capture has published, decoded as the bus readers decode it. */
export class Recording {
  readonly snapshots: Snapshot[] = []
  readonly gaps: Gap[] = []
  readonly tradeGaps: TradeGap[] = []
  readonly trades: Trade[] = []

  static async of(connection: NatsConnection): Promise<Recording> {
    const recording = new Recording()
    const subscription = connection.subscribe(ALL_ROWS, {
      callback: (error, message) => {
        if (error === null) recording.#take(message.data)
      },
    })
    await connection.flush()
    void subscription.closed
    return recording
  }

  rowsOf(marketId: string): Snapshot[] {
    return this.snapshots.filter((row) => row.marketId === marketId)
  }

  /** As the store does, keeps the longest of the records with the same key. */
  gapsOf(marketId: string): Gap[] {
    const byKey = new Map<string, Gap>()
    for (const gap of this.gaps.filter((each) => each.marketId === marketId)) {
      const key = `${gap.fromSlot} ${gap.cause} ${gap.kind}`
      const known = byKey.get(key)
      if (known === undefined || known.toSlot < gap.toSlot) byKey.set(key, gap)
    }
    return [...byKey.values()].sort((one, other) => one.fromSlot - other.fromSlot)
  }

  /** Slots between a market's first and last row that have neither a row nor a gap record. */
  holesOf(marketId: string): number[] {
    const slots = new Set(this.rowsOf(marketId).map(({ slot }) => slot))
    const missing = this.gapsOf(marketId).filter(({ kind }) => kind === 'missing')
    const holes: number[] = []
    for (let slot = Math.min(...slots); slot <= Math.max(...slots); slot++) {
      if (slots.has(slot) || missing.some(({ fromSlot, toSlot }) => fromSlot <= slot && slot <= toSlot)) continue
      holes.push(slot)
    }
    return holes
  }

  #takeGap(gap: StoredGap): void {
    if (isRowGap(gap)) this.gaps.push(gap)
    else this.tradeGaps.push(gap)
  }

  #take(data: Uint8Array): void {
    for (const { table, bytes } of decodeBatch(data).sections) {
      const reader = new RowReader(bytes)
      while (!reader.isAtEnd) {
        if (table === 'snapshots') this.snapshots.push(readSnapshot(reader))
        else if (table === 'gaps') this.#takeGap(readGap(reader))
        else if (table === 'trades') this.trades.push(readTrade(reader))
        else break
      }
    }
  }
}

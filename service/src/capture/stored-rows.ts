import { decodeBatch, rowsIn } from '../bus/batch.ts'
import { gapSchema, isRowGap } from '../domain/rows/gap.ts'
import { perpContextSchema } from '../domain/rows/perp-context.ts'
import { perpMarketId, perpSnapshotSchema } from '../domain/rows/perp-snapshot.ts'
import { perpTradeSchema } from '../domain/rows/perp-trade.ts'
import { type TapeRow, tapeMarketId } from '../domain/rows/tape-row.ts'
import { type Trade, tradeSchema } from '../domain/rows/trade.ts'

import type { TradeIds } from './published-trades.ts'

type SlotRange = readonly [fromSlot: number, toSlot: number]

/** What the bus has of a shard in the last seconds, as JSON can hold it. */
export interface StoredRowsRecord {
  readonly ticksMs: readonly number[]
  readonly slots: readonly (readonly [marketId: string, ranges: readonly SlotRange[]])[]
  readonly trades: readonly string[]
}

/** Tells for the last seconds of a shard which slots have a row or a gap record, and which trades are stored. */
export class StoredRows {
  readonly #ticksMs: Set<number>
  readonly #slots: Map<string, SlotRange[]>
  readonly #trades: Set<string>
  /** When the last stored context of each perp came. Recordings of perps are not rebuilt, so no record holds them. */
  readonly #contextAtMs = new Map<string, number>()

  constructor({ ticksMs, slots, trades }: StoredRowsRecord = { ticksMs: [], slots: [], trades: [] }) {
    this.#ticksMs = new Set(ticksMs)
    this.#slots = new Map(slots.map(([id, ranges]) => [id, [...ranges]]))
    this.#trades = new Set(trades)
  }

  /** The trades of perps that the state names are older than the messages. */
  static in(messages: readonly Uint8Array[], tradeIds: TradeIds = {}): StoredRows {
    const trades = Object.entries(tradeIds).flatMap(([id, ids]) => ids.map((tradeId) => perpKeyOf(id, tradeId)))
    const stored = new StoredRows({ ticksMs: [], slots: [], trades })
    for (const message of messages) stored.#add(message)
    return stored
  }

  get record(): StoredRowsRecord {
    return { ticksMs: [...this.#ticksMs], slots: [...this.#slots], trades: [...this.#trades] }
  }

  /** The newest tick of which anything is stored. */
  get lastTickMs(): number | undefined {
    return this.#ticksMs.size === 0 ? undefined : Math.max(...this.#ticksMs)
  }

  hasTick(tickMs: number): boolean {
    return this.#ticksMs.has(tickMs)
  }

  hasSlot(marketId: string, slot: number): boolean {
    return this.#slots.get(marketId)?.some(([from, to]) => from <= slot && slot <= to) ?? false
  }

  /** The last slot of those that follow this one without a hole; undefined when the next one is not known. */
  lastInRow(marketId: string, slot: number): number | undefined {
    return this.#slots.get(marketId)?.find(([from, to]) => from <= slot + 1 && slot < to)?.[1]
  }

  hasTrade(trade: Trade): boolean {
    return this.#trades.has(keyOf(trade))
  }

  /** A context that came before the last stored one is told by it. */
  hasTape(tape: TapeRow): boolean {
    if (tape.kind === 'trade') return this.#trades.has(perpKeyOf(tapeMarketId(tape), tape.row.tradeId))
    return tape.row.receivedAtMs <= (this.#contextAtMs.get(tapeMarketId(tape)) ?? 0)
  }

  #add(message: Uint8Array): void {
    const batch = decodeBatch(message)
    this.#ticksMs.add(batch.tickAtMs)
    for (const { marketId, slot } of batch.index()) this.#cover(marketId, slot, slot)
    for (const { venue, symbol, slot } of rowsIn(batch, 'perp_snapshots', perpSnapshotSchema))
      this.#cover(perpMarketId(venue, symbol), slot, slot)
    for (const gap of rowsIn(batch, 'gaps', gapSchema))
      if (isRowGap(gap) && gap.kind === 'missing') this.#cover(gap.marketId, gap.fromSlot, gap.toSlot)
    for (const trade of rowsIn(batch, 'trades', tradeSchema)) this.#trades.add(keyOf(trade))
    for (const { venue, symbol, tradeId } of rowsIn(batch, 'perp_trades', perpTradeSchema))
      this.#trades.add(perpKeyOf(perpMarketId(venue, symbol), tradeId))
    for (const { venue, symbol, receivedAtMs } of rowsIn(batch, 'perp_contexts', perpContextSchema))
      this.#contextAtMs.set(perpMarketId(venue, symbol), receivedAtMs)
  }

  #cover(marketId: string, fromSlot: number, toSlot: number): void {
    const ranges = this.#slots.get(marketId) ?? []
    const [last] = ranges.splice(-1)
    if (last !== undefined && fromSlot >= last[0] && fromSlot <= last[1] + 1)
      ranges.push([last[0], Math.max(last[1], toSlot)])
    else ranges.push(...(last === undefined ? [] : [last]), [fromSlot, toSlot])
    this.#slots.set(marketId, ranges)
  }
}

function perpKeyOf(marketId: string, tradeId: number): string {
  return `${marketId} ${tradeId}`
}

/** Every part of a trade that is part of its key in the store. */
function keyOf({ marketId, tradedAtMs, transactionHash, outcome, side, price, size, occurrence }: Trade): string {
  return [marketId, tradedAtMs, transactionHash, outcome, side, price, size, occurrence].join(' ')
}

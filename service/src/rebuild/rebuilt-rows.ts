import type { TickRows } from '../capture/recorder.ts'
import { HOUR_MS } from '../domain/finished-hour.ts'
import type { StoredGap } from '../domain/rows/gap.ts'
import type { Snapshot } from '../domain/rows/snapshot.ts'
import type { Trade } from '../domain/rows/trade.ts'
import { slotTimeMs } from '../domain/slot.ts'
import type { TimeRange } from '../domain/time-range.ts'
import { PackedRows } from './packed-rows.ts'

/** When a recorder took a shard over, it knew what the one before had published. */
interface TakeOver {
  readonly epoch: number
  readonly lastTickMs: number
}

interface MarketRows {
  readonly shard: number
  /** By the lease under which they were sampled. */
  readonly snapshots: Map<number, PackedRows>
  readonly gaps: { tickMs: number; epoch: number; gap: StoredGap }[]
  readonly trades: { tickMs: number; epoch: number; trade: Trade }[]
}

/** One market's rows in a range within one hour. */
export interface RebuiltPart extends TimeRange {
  readonly marketId: string
  readonly hourMs: number
  readonly snapshots: readonly Snapshot[]
  readonly gaps: readonly StoredGap[]
  readonly trades: readonly Trade[]
}

/** Collects the rows of all recorders that had a part in the range. */
export class RebuiltRows {
  readonly #range: TimeRange
  readonly #markets = new Map<string, MarketRows>()
  readonly #takeOvers = new Map<number, TakeOver[]>()

  constructor(range: TimeRange) {
    this.#range = range
  }

  get marketIds(): string[] {
    return [...this.#markets.keys()].toSorted()
  }

  takenOver(shard: number, takeOver: TakeOver): void {
    this.#takeOvers.set(shard, [...(this.#takeOvers.get(shard) ?? []), takeOver])
  }

  add(shard: number, epoch: number, tickMs: number, { snapshots, gaps, trades }: TickRows): void {
    const isWanted = (atMs: number): boolean => atMs >= this.#range.fromMs && atMs < this.#range.toMs
    for (const row of snapshots) {
      if (!isWanted(slotTimeMs(row.slot, row.intervalMs))) continue
      const { snapshots: byEpoch } = this.#rowsOf(row.marketId, shard)
      const packed = byEpoch.get(epoch) ?? new PackedRows()
      byEpoch.set(epoch, packed)
      packed.add(row)
    }
    for (const gap of gaps)
      if (isWanted(slotTimeMs(gap.fromSlot, gap.intervalMs)))
        this.#rowsOf(gap.marketId, shard).gaps.push({ tickMs, epoch, gap })
    for (const trade of trades)
      if (isWanted(trade.tradedAtMs)) this.#rowsOf(trade.marketId, shard).trades.push({ tickMs, epoch, trade })
  }

  /** The rows of a market, one part for each hour of the range. */
  partsOf(marketId: string): RebuiltPart[] {
    const market = this.#markets.get(marketId)
    if (market === undefined) return []
    const { shard } = market
    const snapshots = [...market.snapshots].flatMap(([epoch, packed]) =>
      [...packed.rows()].filter((row) => this.#wasPublished(shard, epoch, slotTimeMs(row.slot, row.intervalMs))),
    )
    const gaps = market.gaps.filter(({ epoch, tickMs }) => this.#wasPublished(shard, epoch, tickMs))
    const trades = market.trades.filter(({ epoch, tickMs }) => this.#wasPublished(shard, epoch, tickMs))
    return partsIn(this.#range).map((part) => {
      const isIn = (atMs: number): boolean => atMs >= part.fromMs && atMs < part.toMs
      return {
        marketId,
        ...part,
        snapshots: snapshots.filter(({ slot, intervalMs }) => isIn(slotTimeMs(slot, intervalMs))),
        gaps: gaps.map(({ gap }) => gap).filter(({ fromSlot, intervalMs }) => isIn(slotTimeMs(fromSlot, intervalMs))),
        trades: trades.map(({ trade }) => trade).filter(({ tradedAtMs }) => isIn(tradedAtMs)),
      }
    })
  }

  /** A recorder that has lost its lease may sample on for a moment, but what it samples is published by nobody. */
  #wasPublished(shard: number, epoch: number, tickMs: number): boolean {
    return (this.#takeOvers.get(shard) ?? []).every((later) => later.epoch <= epoch || tickMs <= later.lastTickMs)
  }

  #rowsOf(marketId: string, shard: number): MarketRows {
    const known = this.#markets.get(marketId)
    if (known !== undefined) return known
    const rows = { shard, snapshots: new Map(), gaps: [], trades: [] }
    this.#markets.set(marketId, rows)
    return rows
  }
}

function partsIn({ fromMs, toMs }: TimeRange): (TimeRange & { hourMs: number })[] {
  const parts: (TimeRange & { hourMs: number })[] = []
  for (let hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hourMs < toMs; hourMs += HOUR_MS)
    parts.push({ hourMs, fromMs: Math.max(fromMs, hourMs), toMs: Math.min(toMs, hourMs + HOUR_MS) })
  return parts
}

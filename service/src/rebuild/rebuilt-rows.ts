import type { TickRows } from '../capture/tick-rows.ts'
import { HOUR_MS } from '../domain/finished-hour.ts'
import type { KeptTimes } from '../domain/kept-times.ts'
import type { StoredGap } from '../domain/rows/gap.ts'
import type { Snapshot } from '../domain/rows/snapshot.ts'
import type { Trade } from '../domain/rows/trade.ts'
import { slotTimeMs } from '../domain/slot.ts'
import { partsOutside, type TimeRange } from '../domain/time-range.ts'
import { PackedRows } from './packed-rows.ts'

/** When a recorder took a shard over, it knew what the one before had published. */
interface TakeOver {
  readonly epoch: number
  readonly lastTickMs: number
}

/** What was read of one lease of a shard. */
interface ReadLease {
  readonly firstTickMs: number
  lastTickMs: number
  /** Nothing of it is missing at its end. */
  isWhole: boolean
}

type BinaryRows = Pick<TickRows, 'snapshots' | 'gaps' | 'trades'>

interface MarketRows {
  readonly shard: string
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
  readonly kept: KeptTimes
}

/** Doubts about a row, and late trades, are known this long after it at the latest. */
export const SETTLES_WITHIN_MS = 120_000

/** Collects the rows of all recorders that had a part in the range. */
export class RebuiltRows {
  readonly #range: TimeRange
  readonly #markets = new Map<string, MarketRows>()
  readonly #takeOvers = new Map<string, TakeOver[]>()
  /** By shard and lease. */
  readonly #leases = new Map<string, Map<number, ReadLease>>()

  constructor(range: TimeRange) {
    this.#range = range
  }

  get marketIds(): string[] {
    return [...this.#markets.keys()].toSorted()
  }

  /** Those of which at least one tick was read. */
  get shards(): Iterable<string> {
    return this.#leases.keys()
  }

  takenOver(shard: string, takeOver: TakeOver): void {
    this.#takeOvers.set(shard, [...(this.#takeOvers.get(shard) ?? []), takeOver])
  }

  ticked(shard: string, epoch: number, tickMs: number): void {
    const leases = this.#leases.get(shard) ?? new Map<number, ReadLease>()
    this.#leases.set(shard, leases)
    const lease = leases.get(epoch)
    if (lease === undefined) leases.set(epoch, { firstTickMs: tickMs, lastTickMs: tickMs, isWhole: false })
    else lease.lastTickMs = Math.max(lease.lastTickMs, tickMs)
  }

  /** The recorder told that it stopped, so all of this lease was read. */
  stopped(shard: string, epoch: number): void {
    const lease = this.#leases.get(shard)?.get(epoch)
    if (lease !== undefined) lease.isWhole = true
  }

  /** The parts of the range in which nothing of the shard was read. */
  unreadOf(shard: string): TimeRange[] {
    return this.#unread(shard, this.#range, 0)
  }

  /** Whether another recorder took the shard over after this lease. */
  wasTakenOver(shard: string, epoch: number): boolean {
    return (this.#takeOvers.get(shard) ?? []).some((later) => later.epoch > epoch)
  }

  add(shard: string, epoch: number, tickMs: number, { snapshots, gaps, trades }: BinaryRows): void {
    // A standby that took over has published retained rows of earlier ticks.
    this.ticked(shard, epoch, tickMs)
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
        kept: {
          snapshots: this.#unread(shard, part, 0),
          others: this.#unread(shard, part, SETTLES_WITHIN_MS),
          rangeEndMs: this.#range.toMs,
        },
        snapshots: snapshots.filter(({ slot, intervalMs }) => isIn(slotTimeMs(slot, intervalMs))),
        gaps: gaps.map(({ gap }) => gap).filter(({ fromSlot, intervalMs }) => isIn(slotTimeMs(fromSlot, intervalMs))),
        trades: trades.map(({ trade }) => trade).filter(({ tradedAtMs }) => isIn(tradedAtMs)),
      }
    })
  }

  /** Without the end of a lease, gaps and trades of the time before it are not known whole either. */
  #unread(shard: string, range: TimeRange, settlesWithinMs: number): TimeRange[] {
    const takeOvers = this.#takeOvers.get(shard) ?? []
    const read = [...(this.#leases.get(shard) ?? [])].map(([epoch, { firstTickMs, lastTickMs, isWhole }]) => {
      const later = takeOvers.filter((each) => each.epoch > epoch).map((each) => each.lastTickMs)
      const lastMs = Math.min(lastTickMs, ...later)
      // Rows up to the last tick of the recorder before are its own.
      const before = takeOvers.filter((each) => each.epoch === epoch).map((each) => each.lastTickMs + 1)
      return { fromMs: Math.max(firstTickMs, ...before), toMs: lastMs + 1 - (isWhole ? 0 : settlesWithinMs) }
    })
    return partsOutside(
      range,
      read.filter(({ fromMs, toMs }) => fromMs < toMs),
    )
  }

  /** A recorder that has lost its lease may sample on for a moment, but what it samples is published by nobody. */
  #wasPublished(shard: string, epoch: number, tickMs: number): boolean {
    return (this.#takeOvers.get(shard) ?? []).every((later) => later.epoch <= epoch || tickMs <= later.lastTickMs)
  }

  #rowsOf(marketId: string, shard: string): MarketRows {
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

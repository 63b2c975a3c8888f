import type { HeatMap } from '@bookreel/sdk'
import { columnMsOf } from './detail-levels.ts'
import type { HeatColumn } from './heat-column.ts'
import { HeatRing } from './heat-ring.ts'
import type { LiveColumnsForm } from './live-columns.ts'
import { columnsOfTile } from './tile-columns.ts'

export interface HeatTrade {
  readonly atMs: number
  readonly price: number
  readonly size: number
  /** What the taker did. */
  readonly action: 'buy' | 'sell'
}

export interface HeatGap {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly kind: 'missing' | 'suspect'
  readonly cause: string | null
}

/** A time from which on nothing is known, and why: it is hatched until now. */
export interface OpenGap {
  readonly fromMs: number
  readonly text: string
}

export interface Boundary {
  readonly atMs: number
  readonly text: string
}

/** A part of a level that could not be loaded. */
export interface FailedTile {
  readonly level: number
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly error: Error
}

interface UnknownTrades {
  readonly beforeMs: number
  readonly why: 'coming' | 'failed'
}

const COLUMNS = 4_096
export const MOST_TRADES = 2_000
/** As many as a history page reads. */
const MOST_GAPS = 20_000

/**
 * Everything that a heat map draws. It is no state of React: it changes twenty times a second, and the map reads it
 * when it draws. Live pages, replays and samples fill it in the same way.
 */
export class HeatMapData {
  readonly levels: readonly LiveColumnsForm[]
  readonly rings: readonly HeatRing[]
  /** By time. */
  trades: readonly HeatTrade[] = []
  gaps: readonly HeatGap[] = []
  /** Ends of windows. */
  boundaries: readonly Boundary[] = []
  openGap: OpenGap | undefined
  failedTiles: readonly FailedTile[] = []
  /** Trades of before this time are not known, and why. Who loads trades tells it. */
  unknownTrades: UnknownTrades = { beforeMs: Number.NEGATIVE_INFINITY, why: 'coming' }
  /** Whether there may be columns of this time that are not loaded. Who loads them tells it. */
  isAwaited: (level: number, fromMs: number, toMs: number) => boolean = () => false
  /** The present of this data: a view that follows ends here. */
  nowMs = 0
  /** How many columns with rows each level first got from tiles. */
  readonly loaded: number[]
  #leftOutTradesMs = Number.NEGATIVE_INFINITY
  readonly #listeners = new Set<() => void>()
  readonly #columnListeners = new Set<(level: number, place: number) => void>()

  constructor(levels: readonly LiveColumnsForm[]) {
    this.levels = levels
    this.rings = levels.map(({ rows }) => new HeatRing(COLUMNS, rows))
    this.loaded = levels.map(() => 0)
  }

  /** Of a market that is shown only for a time, the other columns are left out. */
  addTile(level: number, tile: HeatMap, shown: { fromMs: number; toMs: number } = EVER): void {
    for (const column of columnsOfTile(tile)) {
      const fromMs = column.number * tile.column_ms
      if (fromMs >= shown.toMs || fromMs + tile.column_ms <= shown.fromMs) continue
      if (column.stored > 0 && !this.#hasRows(level, column.number)) this.loaded[level] = (this.loaded[level] ?? 0) + 1
      this.join(level, column)
    }
    this.changed()
  }

  #hasRows(level: number, number: number): boolean {
    const ring = this.rings[level]
    const place = ring?.placeOf(number)
    return ring !== undefined && place !== undefined && (ring.stored[place] ?? 0) > 0
  }

  /** Call `changed` after the last one. */
  join(level: number, column: HeatColumn): void {
    const place = this.rings[level]?.join(column)
    if (place === undefined) return
    for (const listener of this.#columnListeners) listener(level, place)
  }

  /** Trades that are known already are left out. */
  addTrades(trades: readonly HeatTrade[]): void {
    const known = new Set(this.trades.map(identityOf))
    const added = trades.filter((trade) => !known.has(identityOf(trade)))
    if (added.length === 0) return
    const all = [...this.trades, ...added].toSorted((one, other) => one.atMs - other.atMs)
    this.trades = all.slice(-MOST_TRADES)
    const newestLeftOut = all.at(-MOST_TRADES - 1)
    if (newestLeftOut !== undefined) this.#leftOutTradesMs = Math.max(this.#leftOutTradesMs, newestLeftOut.atMs + 1)
  }

  /** From this time on every trade is shown. */
  get tradesFromMs(): number {
    return Math.max(this.unknownTrades.beforeMs, this.#leftOutTradesMs)
  }

  /** Older trades would be left out. */
  get isFullOfTrades(): boolean {
    return this.trades.length >= MOST_TRADES
  }

  addGaps(gaps: readonly HeatGap[]): void {
    const known = new Set(this.gaps.map(gapText))
    this.gaps = [...this.gaps, ...gaps.filter((gap) => !known.has(gapText(gap)))].slice(-MOST_GAPS)
  }

  /** Number of the column that contains a time. */
  numberAt(level: number, atMs: number): number {
    const form = this.levels[level]
    return form === undefined ? 0 : Math.floor(atMs / columnMsOf(form))
  }

  gapsBetween(fromMs: number, toMs: number): readonly HeatGap[] {
    return this.gaps.filter((gap) => gap.fromMs < toMs && gap.toMs > fromMs)
  }

  changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called for every column that changed, before the listeners of `onChange`. */
  onColumn(listener: (level: number, place: number) => void): () => void {
    this.#columnListeners.add(listener)
    return () => this.#columnListeners.delete(listener)
  }
}

const EVER = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

function identityOf({ atMs, price, size, action }: HeatTrade): string {
  return `${atMs} ${price} ${size} ${action}`
}

function gapText({ fromMs, toMs, kind }: HeatGap): string {
  return `${fromMs} ${toMs} ${kind}`
}

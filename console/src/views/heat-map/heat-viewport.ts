import type { Contrast } from './contrast.ts'

export interface ViewLimits {
  readonly leastMs: number
  readonly mostMs: number
  /** Rows of the whole price axis. */
  readonly rows: number
}

const LEAST_ROWS = 8

/** The part of a heat map that is on the screen. It changes with every movement of the pointer, so it is no state of React. */
export class HeatViewport {
  fromMs: number
  toMs: number
  /** Rows at the lower and upper edge; they need not be whole. */
  low = 0
  high: number
  /** Undefined: chosen from the sizes on the screen. */
  contrast: Contrast | undefined
  /** Smaller trades are not drawn. */
  leastTrade = 0
  /** Ends at the present of the data. */
  isFollowing: boolean
  /** Whether the user has chosen the prices, so that they stay. */
  hasOwnPrices = false
  readonly #limits: ViewLimits
  readonly #listeners = new Set<() => void>()

  constructor(range: { fromMs: number; toMs: number; isFollowing: boolean }, limits: ViewLimits) {
    this.fromMs = range.fromMs
    this.toMs = range.toMs
    this.isFollowing = range.isFollowing
    this.high = limits.rows
    this.#limits = limits
  }

  get spanMs(): number {
    return this.toMs - this.fromMs
  }

  /** `at` is the part of the width that stays where it is. A view that follows keeps its right edge. */
  zoomTime(factor: number, at: number): void {
    const { leastMs, mostMs } = this.#limits
    const span = Math.min(mostMs, Math.max(leastMs, this.spanMs * factor))
    const fixed = this.isFollowing ? 1 : at
    const atMs = this.fromMs + this.spanMs * fixed
    this.showTime(atMs - span * fixed, atMs + span * (1 - fixed))
  }

  /** `at` is the part of the height, from below, that stays where it is. */
  zoomPrice(factor: number, at: number): void {
    const rows = Math.min(this.#limits.rows, Math.max(LEAST_ROWS, (this.high - this.low) * factor))
    const row = this.low + (this.high - this.low) * at
    this.showRows(row - rows * at, row + rows * (1 - at))
    this.hasOwnPrices = true
  }

  /** By parts of the width and of the height. */
  pan(right: number, up: number): void {
    if (right !== 0) {
      this.isFollowing = false
      this.showTime(this.fromMs + right * this.spanMs, this.toMs + right * this.spanMs)
    }
    if (up === 0) return
    const rows = this.high - this.low
    this.showRows(this.low + up * rows, this.high + up * rows)
    this.hasOwnPrices = true
  }

  showTime(fromMs: number, toMs: number): void {
    this.fromMs = fromMs
    this.toMs = toMs
    this.changed()
  }

  /** Moves the rows into the price axis. */
  showRows(low: number, high: number): void {
    const rows = Math.min(high - low, this.#limits.rows)
    this.low = Math.min(Math.max(0, low), this.#limits.rows - rows)
    this.high = this.low + rows
    this.changed()
  }

  /** The end of the view moves to the present; no change that a user made. */
  follow(nowMs: number): void {
    const span = this.spanMs
    this.toMs = nowMs
    this.fromMs = nowMs - span
  }

  changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Called when the user or the page has changed the view; returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

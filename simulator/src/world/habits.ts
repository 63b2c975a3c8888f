import type { Behaviour } from './behaviours.ts'
import type { Market } from './market.ts'
import { fixedNumber, seedOf } from './random.ts'

/** Share of the batches with a habit: measured on busy Bitcoin windows, and on quiet markets. */
const SHARE_OF_BATCHES = {
  'hash-ahead': { busy: 0.000_02, quiet: 0.003 },
  // Such a price stays in the hash until the next trade, so few of them spoil many checks.
  'unannounced-trade-prices': { busy: 0.000_15, quiet: 0.000_03 },
  'unexplained-hashes': { busy: 0.000_08, quiet: 0.000_5 },
} as const satisfies Partial<Record<Behaviour, { busy: number; quiet: number }>>

export type BatchHabit = keyof typeof SHARE_OF_BATCHES

const SHARE_OF_LOST_RESOLUTIONS = 0.2
const SHARE_OF_LATE_TRADES = 0.1
/** From the end of a window to its resolution. */
const RESOLUTION_DELAYS_MS = {
  '5m': [120_000, 148_000],
  '15m': [140_000, 160_000],
  '1h': [720_000, 1_680_000],
  '4h': [140_000, 160_000],
  '1d': [870_000, 930_000],
} as const
const GAMMA_CLOSES_AFTER_MS = [51_000, 180_000] as const

/** Decides which habits of the venue show when. Each answer depends only on seed, market and time. */
export class Habits {
  readonly #seed: string
  readonly #behaviours: ReadonlySet<Behaviour>

  constructor(seed: string, behaviours: ReadonlySet<Behaviour>) {
    this.#seed = seed
    this.#behaviours = behaviours
  }

  showsInBatch(habit: BatchHabit, market: Market, atMs: number): boolean {
    if (!this.#behaviours.has(habit)) return false
    const { busy, quiet } = SHARE_OF_BATCHES[habit]
    return fixedNumber(seedOf(habit, market.order), atMs) < (market.activity === 'hot' ? busy : quiet)
  }

  losesResolution(market: Market): boolean {
    return (
      this.#behaviours.has('lost-resolutions') && this.#shareOf('lost resolution', market) < SHARE_OF_LOST_RESOLUTIONS
    )
  }

  /** Delay of a trade's announcement after the batch whose hash contains it. */
  tradeDelayMs(market: Market, usualMs: number): number {
    if (!this.#behaviours.has('late-trades') || market.draw.next() >= SHARE_OF_LATE_TRADES) return usualMs
    return market.draw.whole(usualMs + 1, 120)
  }

  resolveAtMs(market: Market): number {
    const length = market.draft.window?.length
    if (length === undefined || !this.#behaviours.has('resolution-delays')) return market.resolveAtMs
    return market.event.endMs + this.#between('resolution delay', market, RESOLUTION_DELAYS_MS[length])
  }

  gammaCloseDelayMs(market: Market): number {
    return this.#behaviours.has('late-gamma-close') ? this.#between('gamma delay', market, GAMMA_CLOSES_AFTER_MS) : 0
  }

  #between(name: string, market: Market, [from, to]: readonly [number, number]): number {
    return from + Math.floor(this.#shareOf(name, market) * (to - from))
  }

  #shareOf(name: string, market: Market): number {
    return fixedNumber(seedOf(this.#seed, name, market.conditionId), 0)
  }
}

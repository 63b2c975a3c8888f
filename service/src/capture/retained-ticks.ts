import type { Price } from '../domain/rows/price.ts'
import type { TapeRow } from '../domain/rows/tape-row.ts'
import type { Trade } from '../domain/rows/trade.ts'
import type { Absence } from './gap-ledger.ts'
import type { Sample, SampledMarket } from './sampled-market.ts'

/** What was known of a market at one slot. */
export interface TakenSample {
  readonly market: SampledMarket
  readonly slot: number
  readonly doubts: readonly Absence[]
  readonly losses: readonly Absence[]
  readonly sample: Sample
}

export interface RetainedTick {
  readonly tickMs: number
  readonly samples: readonly TakenSample[]
  readonly trades: readonly Trade[]
  readonly prices: readonly Price[]
  readonly tape: readonly TapeRow[]
}

/** Longer than a lease plus the time in which its end is noticed. */
const RETAINED_MS = 10_000
/** Every recorder has ticks more often than this; after a longer pause it was suspended, or late. */
const LONGEST_PAUSE_MS = 2_000

/** The last seconds of a shard that another process records, from which this one can go on without a hole. */
export class RetainedTicks {
  #ticks: RetainedTick[] = []
  #trades: Trade[] = []
  #prices: Price[] = []
  #tape: TapeRow[] = []
  #sinceMs: number | undefined

  /** Since when no tick is missing; undefined before the first one. */
  get sinceMs(): number | undefined {
    return this.#sinceMs
  }

  get ticks(): readonly RetainedTick[] {
    return this.#ticks
  }

  /** What has come since the last tick. */
  get pending(): Pick<RetainedTick, 'trades' | 'prices' | 'tape'> {
    return { trades: this.#trades, prices: this.#prices, tape: this.#tape }
  }

  /** Whether most markets had a row at their last slot: a recorder without books is of no use to others. */
  get hasBooks(): boolean {
    const latest = new Map(this.#ticks.flatMap(({ samples }) => samples.map((taken) => [taken.market.id, taken])))
    const present = [...latest.values()].filter(({ sample }) => !('absence' in sample))
    return 2 * present.length >= latest.size
  }

  trade(trade: Trade): void {
    this.#trades.push(trade)
  }

  price(price: Price): void {
    this.#prices.push(price)
  }

  tape(row: TapeRow): void {
    this.#tape.push(row)
  }

  add(tickMs: number, samples: readonly TakenSample[]): void {
    if (tickMs - (this.#ticks.at(-1)?.tickMs ?? 0) > LONGEST_PAUSE_MS) this.#sinceMs = tickMs
    this.#ticks.push({ tickMs, samples, trades: this.#trades, prices: this.#prices, tape: this.#tape })
    this.#trades = []
    this.#prices = []
    this.#tape = []
    while ((this.#ticks[0]?.tickMs ?? tickMs) < tickMs - RETAINED_MS) this.#ticks.shift()
  }
}

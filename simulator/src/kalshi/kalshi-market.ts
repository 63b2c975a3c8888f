import { createHash } from 'node:crypto'
import { Book } from '../world/book.ts'
import type { Activity } from '../world/market.ts'
import { type Random, random, seedOf } from '../world/random.ts'
import type { EventDraft, MarketDraft, Series } from './catalogue/draft.ts'
import { GRIDS, type PriceGrid } from './price-grid.ts'

/** As the venue returns it; its filters have other names. */
export type Status = 'initialized' | 'inactive' | 'active' | 'closed' | 'determined' | 'finalized'

export interface KalshiEvent extends Omit<EventDraft, 'markets'> {
  series: Series
  /** Number on the schedule of its series. */
  index: number
  createdMs: number
  openMs: number
  closeMs: number
  markets: KalshiMarket[]
}

export interface KalshiMarket {
  readonly ticker: string
  readonly id: string
  readonly event: KalshiEvent
  readonly draft: MarketDraft
  readonly activity: Activity
  readonly draw: Random
  readonly noiseSeeds: readonly [slow: number, quick: number]
  status: Status
  grid: PriceGrid
  /** Bids for YES; a bid for NO at a price is an ask here at one minus that price. */
  book: Book
  /** The listed close; moves when a market closes early. */
  closeMs: number
  /** Level that the spot price is compared with; of a window known only when it opens. */
  strike: number | undefined
  /** Venue time of the newest change of the book or the state. */
  changedAtMs: number
  /** Number of changes of the book. */
  changes: number
  /** The fair price is computed again only some times a second. */
  fair: { atMs: number; price: number }
  lastPrice: number
  lastTradeSize: number
  volume: number
  openInterest: number
  result: 'yes' | 'no' | undefined
  determinedAtMs: number | undefined
  settledAtMs: number | undefined
  finalValue: number | undefined
}

export function eventFrom(
  series: Series,
  index: number,
  draft: EventDraft,
  times: Pick<KalshiEvent, 'createdMs' | 'openMs' | 'closeMs'>,
): KalshiEvent {
  const { markets: _, ...facts } = draft
  return { ...facts, ...times, series, index, markets: [] }
}

export function marketFrom(seed: string, event: KalshiEvent, draft: MarketDraft, activity: Activity): KalshiMarket {
  const ticker = `${event.ticker}-${draft.suffix}`
  return {
    ticker,
    id: uuidOf(seed, ticker),
    event,
    draft,
    activity,
    draw: random(seed, 'kalshi', ticker),
    noiseSeeds: [seedOf(seed, ticker, 'slow'), seedOf(seed, ticker, 'quick')],
    status: 'initialized',
    grid: GRIDS[event.series.grid],
    book: new Book(),
    closeMs: event.shownCloseMs ?? event.closeMs,
    strike: draft.spot?.strike,
    changedAtMs: event.createdMs,
    changes: 0,
    fair: { atMs: Number.NaN, price: 0 },
    lastPrice: 0,
    lastTradeSize: 0,
    volume: 0,
    openInterest: 0,
    result: undefined,
    determinedAtMs: undefined,
    settledAtMs: undefined,
    finalValue: undefined,
  }
}

export function uuidOf(...names: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(names.join('|')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

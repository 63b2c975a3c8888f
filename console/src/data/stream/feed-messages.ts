import type { Selector, TradeFrame } from '@bookreel/sdk'
import type { HeatColumn } from '../../views/heat-map/heat-column.ts'
import type { Levels, LiveColumnsForm } from '../../views/heat-map/live-columns.ts'

/** One market, or one after the other when the page follows a series. */
export interface FeedWindow {
  readonly market: string
  /** Rows before and after belong to the windows beside it. */
  readonly fromMs: number
  readonly toMs: number
}

/** What a page wants to see. */
export interface FeedRequest {
  readonly selector: Selector
  readonly side: 'up' | 'down'
  /** One for each level of detail. */
  readonly levels: readonly LiveColumnsForm[]
  /** The window that is open now; without an end for a single market. */
  readonly window: FeedWindow
}

/** A book with what is known about it. */
export interface FeedBook {
  readonly market: string
  readonly seq: number
  readonly bids: Levels
  readonly asks: Levels
  /** Middle of the best prices of both tokens; left out when a side is empty. */
  readonly upMid?: number
  readonly downMid?: number
  readonly flags: readonly string[]
  readonly proof: 'hash' | 'sequence' | 'none'
  readonly eventAt: number
  readonly receivedAt: number
  readonly capturedAt: number
  readonly sentAt: number
}

export interface FeedGap {
  readonly fromSlot: number
  readonly toSlot: number
  readonly kind: 'missing' | 'suspect'
  readonly cause: string | null
}

/** Everything since the last update; of a column and of the book the newest state. */
export interface FeedUpdate {
  readonly columns: readonly { readonly level: number; readonly column: HeatColumn }[]
  readonly book?: FeedBook
  readonly trades: readonly TradeFrame[]
  readonly gaps: readonly FeedGap[]
  /** The next window of a series. */
  readonly rolledTo?: FeedWindow
  readonly skippedFrames: number
  readonly connection?: 'live' | 'lost'
  /** The market has no rows any more since this slot; null when it has rows again. */
  readonly dark?: { readonly fromSlot: number; readonly cause: string | null } | null
  /** The market has ended or has a result; false when the next window has begun. */
  readonly hasEnded?: boolean
}

/** The stream has ended and does not come back by itself. */
export interface FeedEnd {
  readonly code: string
  readonly message: string
  readonly status?: number
}

export type FeedMessage =
  /** The page has its first ticket. */
  | { readonly kind: 'ticket'; readonly openedAt: string }
  | { readonly kind: 'update'; readonly update: FeedUpdate }
  | { readonly kind: 'end'; readonly end: FeedEnd }

/** When a person opened a page or took its stream back, by the clock of this computer, and as the service told it. */
export interface PageOpening {
  readonly ms: number
  /** Undefined before the first ticket. */
  readonly at?: string | undefined
}

export interface FeedCommand {
  readonly request: FeedRequest
  readonly opened: PageOpening
}

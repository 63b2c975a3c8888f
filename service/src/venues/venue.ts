import type { Ladders, Level, Side } from '../domain/book.ts'
import type { Market, Resolution } from '../domain/market.ts'
import type { CategoryPlan } from '../domain/plan.ts'
import type { GapCause } from '../domain/rows/gap.ts'
import type { Trade } from '../domain/rows/trade.ts'

/** A decoded event of a binary market, in exact units. */
export type VenueEvent = BookEvent | ChangeEvent | TradeEvent | TickEvent | ResolvedEvent | CreatedEvent

/** A whole book of one token; replaces the one before. */
export interface BookEvent {
  kind: 'book'
  marketId: string
  tokenId: string
  bids: readonly Level[]
  asks: readonly Level[]
  eventAtMs: number
  hash: string
  /** As the venue writes them; only some books have them. */
  tickSize?: string
  lastTradeText?: string
}

/** New total sizes at some levels of one market. */
export interface ChangeEvent {
  kind: 'change'
  marketId: string
  eventAtMs: number
  entries: readonly ChangeEntry[]
}

export interface ChangeEntry extends Level {
  tokenId: string
  side: Side
  /** Hash of the token's whole book after the batch of this entry. */
  hash: string
  /** The venue's best prices after the batch; undefined when the frame has none. */
  bestBid?: number
  bestAsk?: number
}

export interface TradeEvent {
  kind: 'trade'
  tokenId: string
  trade: Omit<Trade, 'receivedAtMs' | 'outcome'>
}

export interface TickEvent {
  kind: 'tick'
  marketId: string
  tokenId: string
  tickSize: string
}

export interface ResolvedEvent {
  kind: 'resolved'
  resolution: Resolution
}

/** A market was created at the venue; discovery will list it with its details. */
export interface CreatedEvent {
  kind: 'created'
  marketId: string
}

/** The content of one text frame. One bad element of an array does not affect the others. */
export interface DecodedFrame {
  events: readonly VenueEvent[]
  problems: readonly FrameProblem[]
}

/** Something in a frame that `docs/venues/` does not describe. It is counted and the frame kept; nothing is guessed. */
export interface FrameProblem {
  /** `undecodable`: data is lost, so the books of the market are in doubt. The other two lose no data, but an operator should look. */
  kind: 'undecodable' | 'unknown_event' | 'unknown_key'
  /** Short; never contains the frame. */
  reason: string
  /** The market whose data is lost, if it can still be read. */
  marketId?: string
}

/** The last proved state of a market, which may be sampled; never a half-applied batch. */
export interface ProvedState {
  up: Ladders
  down: Ladders
  isUpVerified: boolean
  isDownVerified: boolean
  /** The venue's hashes of these two books, to compare with a REST answer. */
  upHash: string
  downHash: string
  /** The venue's time of the last change, and when the frame that completed it was received. */
  eventAtMs: number
  receivedAtMs: number
}

export interface Doubt {
  cause: GapCause
  detail: string
}

/** A doubt that the book raised by itself; a new proof may have ended it milliseconds later. */
export interface RaisedDoubt extends Doubt {
  raisedAtMs: number
  /** `provedAtMs` when the doubt was raised. */
  provedAtMs: number | undefined
}

/** The two books of one market, proved by the rules of the venue. */
export interface BinaryBook {
  readonly market: Market
  /** Undefined before the first proof, and while the book is in doubt. */
  readonly proved: ProvedState | undefined
  /** Why the book can't be trusted now; only a new proof from a whole book clears it. */
  readonly doubt: Doubt | undefined
  /** Time of the last proof, on the clock of `receivedAtMs`; a doubt reaches back to it. */
  readonly provedAtMs: number | undefined
  /** Batches applied since the last call; resets the count. */
  takeChangeCount(): number
  /** Every doubt that the book raised by itself since the last call, also those that have ended. */
  takeDoubts(): readonly RaisedDoubt[]
  take(event: BookEvent | ChangeEvent | TradeEvent | TickEvent, receivedAtMs: number): void
  /** Turns a batch that stays incomplete for too long into a doubt. */
  settle(nowMs: number): void
  /** Frames may be missing: the book is in doubt until a whole book is proved. */
  distrust(doubt: Doubt): void
}

export interface SocketRules {
  url: string
  /** Both tokens of a market always use the same socket. */
  marketsPerSocket: number
  heartbeat: { frame: string; everyMs: number; answer: string; answerWithinMs: number }
  /** A socket without data for this long is dead, even if it answers pings. */
  silenceLimitMs: number
  maxFrameBytes: number
}

/** A venue of binary markets: data and pure functions; `runFeed` keeps its sockets open. */
export interface BinaryVenue {
  readonly id: string
  readonly socket: SocketRules
  subscribeFrames(tokenIds: readonly string[], isFirst: boolean): string[]
  unsubscribeFrames(tokenIds: readonly string[]): string[]
  /** Decodes one text frame; never throws. Known events that are not needed are left out. */
  decode(text: string): DecodedFrame
  /** The markets of a plan that should be followed now. */
  discover(plan: CategoryPlan, nowMs: number, signal: AbortSignal): Promise<Market[]>
  /** Whole books over REST, for the stale-book check; unknown tokens are left out. */
  fetchBooks(tokenIds: readonly string[], signal: AbortSignal): Promise<BookEvent[]>
  /** The resolutions of those markets that are resolved, over REST; for resolutions that the socket did not deliver. */
  fetchResolutions(marketIds: readonly string[], signal: AbortSignal): Promise<Resolution[]>
  openBook(market: Market): BinaryBook
}

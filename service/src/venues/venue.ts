import type { Ladders, Level, Side } from '../domain/book.ts'
import type { Market, Resolution } from '../domain/market.ts'
import type { CategoryPlan } from '../domain/plan.ts'
import type { GapCause } from '../domain/rows/gap.ts'
import type { Trade } from '../domain/rows/trade.ts'

/** What a feed of binary markets says once decoded: exact units, no text that still has to be understood. */
export type VenueEvent = BookEvent | ChangeEvent | TradeEvent | TickEvent | ResolvedEvent | CreatedEvent

/** A whole book of one token; replaces what was there. */
export interface BookEvent {
  kind: 'book'
  marketId: string
  tokenId: string
  bids: readonly Level[]
  asks: readonly Level[]
  eventAtMs: number
  hash: string
  /** As the venue writes them; only some books carry them. */
  tickSize?: string
  lastTradeText?: string
}

/** New totals at some levels of one market. */
export interface ChangeEvent {
  kind: 'change'
  marketId: string
  eventAtMs: number
  entries: readonly ChangeEntry[]
}

export interface ChangeEntry extends Level {
  tokenId: string
  side: Side
  /** Of the token's whole book after the batch that this entry belongs to. */
  hash: string
  /** The venue's echo of its own best prices after the batch; undefined when it gave none. */
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

/** A market has appeared at the venue; discovery will tell what it is. */
export interface CreatedEvent {
  kind: 'created'
  marketId: string
}

/** What one text frame held. One bad element of an array does not lose the others. */
export interface DecodedFrame {
  events: readonly VenueEvent[]
  problems: readonly FrameProblem[]
}

/** Something that is not what the venue's page says. It is counted and the frame kept, never guessed at. */
export interface FrameProblem {
  /** `undecodable`: data is lost, so the books concerned are in doubt. The other two cost nothing, but somebody should look. */
  kind: 'undecodable' | 'unknown_event' | 'unknown_key'
  /** Short, and never the frame itself. */
  reason: string
  /** Whose data is lost, as far as the frame still tells. */
  marketId?: string
}

/** What may be sampled of a market: the last state that was proved, never one that is half applied. */
export interface ProvedState {
  up: Ladders
  down: Ladders
  isUpVerified: boolean
  isDownVerified: boolean
  /** The venue's own names of these two states, to hold a REST answer against. */
  upHash: string
  downHash: string
  /** The venue's time of the last change in it, and when we had received the frame that completed it. */
  eventAtMs: number
  receivedAtMs: number
}

export interface Doubt {
  cause: GapCause
  detail: string
}

/** A doubt that the book raised by itself, which a new proof may have ended milliseconds later. */
export interface RaisedDoubt extends Doubt {
  raisedAtMs: number
  /** The last proof before it, as `provedAtMs` was then. */
  provedAtMs: number | undefined
}

/** The two books of one market under the venue's own rules of proof. */
export interface BinaryBook {
  readonly market: Market
  /** Undefined before the first proof, and while the book is in doubt. */
  readonly proved: ProvedState | undefined
  /** Why it can't be trusted now; cleared only by a new proof from a whole book. */
  readonly doubt: Doubt | undefined
  /** When we last held a proof, on the clock of `receivedAtMs`; doubt reaches back to it. */
  readonly provedAtMs: number | undefined
  /** Batches applied since this was last read; reading starts the count anew. */
  takeChangeCount(): number
  /** Every doubt it raised by itself since this was last read, also those that are over. */
  takeDoubts(): readonly RaisedDoubt[]
  take(event: BookEvent | ChangeEvent | TradeEvent | TickEvent, receivedAtMs: number): void
  /** Time passes: a batch that nothing completes becomes a doubt. */
  settle(nowMs: number): void
  /** Continuity is lost (socket, silence, our own decision): nothing counts until a whole book is proved. */
  distrust(doubt: Doubt): void
}

export interface SocketRules {
  url: string
  /** Both tokens of a market always ride on the same socket. */
  marketsPerSocket: number
  heartbeat: { frame: string; everyMs: number; answer: string; answerWithinMs: number }
  /** No data at all on a socket for so long means that it is dead, whatever it answers to pings. */
  silenceLimitMs: number
  maxFrameBytes: number
}

/** A venue of binary markets: data and pure functions; the loop that holds its sockets is ours. */
export interface BinaryVenue {
  readonly id: string
  readonly socket: SocketRules
  subscribeFrames(tokenIds: readonly string[], isFirst: boolean): string[]
  unsubscribeFrames(tokenIds: readonly string[]): string[]
  /** One text frame; never throws. What is known and not needed leaves no event. */
  decode(text: string): DecodedFrame
  /** The markets of a plan that should be followed now. */
  discover(plan: CategoryPlan, nowMs: number, signal: AbortSignal): Promise<Market[]>
  /** Whole books over REST, for resync and as a canary; unknown tokens are left out. */
  fetchBooks(tokenIds: readonly string[], signal: AbortSignal): Promise<BookEvent[]>
  /** How these markets ended, as far as they have; asked when nobody told us. */
  fetchResolutions(marketIds: readonly string[], signal: AbortSignal): Promise<Resolution[]>
  openBook(market: Market): BinaryBook
}

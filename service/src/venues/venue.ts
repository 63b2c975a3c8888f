import type { Ladders, Level, Side } from '../domain/book.ts'
import type { Doubt, Loss } from '../domain/doubt.ts'
import type { Market, Resolution } from '../domain/market.ts'
import type { CategoryPlan } from '../domain/plan.ts'
import type { PriceSource } from '../domain/price.ts'
import type { Trade } from '../domain/rows/trade.ts'
import type { Closing, FeedRules } from './feed-options.ts'
import type { Tally } from './tally.ts'

/** A decoded event of a binary market, in exact units. */
export type VenueEvent = BookUpdate | ResolvedEvent | CreatedEvent

/** What the books of a market are built from. */
export type BookUpdate = BookEvent | ChangeEvent | DeltaEvent | TradeEvent | TickEvent

/** A whole book of one token; replaces the one before. */
export interface BookEvent {
  kind: 'book'
  marketId: string
  tokenId: string
  bids: readonly Level[]
  asks: readonly Level[]
  /** The venue's time; the time of receipt where it sends none. */
  eventAtMs: number
  /** Empty where the venue publishes none. */
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

/** The size at one level has grown or shrunk. Only a venue that numbers its frames sends changes that need the size before. */
export interface DeltaEvent extends Pick<Level, 'price'> {
  kind: 'delta'
  marketId: string
  tokenId: string
  side: Side
  /** Negative when the level has shrunk; at 0 it is gone. */
  sizeChange: number
  eventAtMs: number
}

export interface TradeEvent {
  kind: 'trade'
  tokenId: string
  trade: Omit<Trade, 'receivedAtMs' | 'outcome' | 'occurrence'>
}

export interface TickEvent {
  kind: 'tick'
  marketId: string
  tokenId: string
  tickSize: string
}

export interface ResolvedEvent {
  kind: 'resolved'
  marketId: string
  /** Undefined when the frame names none. */
  winningTokenId: string | undefined
  resolvedAtMs: number
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
  /** Frames before this one never came, or the venue sends no more: all books of the connection are in doubt. */
  loss?: Loss
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
  /** The venue's time of the last change, and when the frame that completed it was received. */
  eventAtMs: number
  receivedAtMs: number
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
  take(update: BookUpdate, receivedAtMs: number): void
  /** Whether the venue's proof fails for so long that the books must be compared with those of REST. */
  isToBeCompared(nowMs: number): boolean
  /** Compares with REST books of both tokens, requested while the socket was sending this market; they replace a book in doubt. */
  compare(books: readonly BookEvent[], receivedAtMs: number): void
  /** How a REST book of the first token, requested at that time, stands to this book. `other`: one of the two is behind. */
  relationTo(book: BookEvent, requestedAtMs: number): 'equal' | 'older' | 'other'
  /** Turns a batch that stays incomplete for too long into a failed check, and a check that fails for too long into a doubt. */
  settle(nowMs: number): void
  /** Frames may be missing: the book is in doubt until a whole book is proved. */
  distrust(doubt: Doubt): void
  /** Everything that a new book of this market needs to go on like this one, as JSON can hold it. */
  checkpoint(): unknown
  restore(checkpoint: unknown): void
}

/** What a socket delivers in a second. */
export interface Traffic {
  framesPerS: number
  bytesPerS: number
}

export interface ExpectedTraffic extends Traffic {
  /** The market gets a socket of its own. */
  isExclusive: boolean
}

/** `overloaded`: the socket had to deliver too much. `all_resolved`: the socket has no open market left. */
export type CloseMeaning = 'lost' | 'overloaded' | 'all_resolved'

export interface SocketRules extends FeedRules {
  heartbeat: NonNullable<FeedRules['heartbeat']>
  /** Both tokens of a market always use the same socket. */
  marketsPerSocket: number
  /** A socket that has to deliver more falls behind, and the venue closes it. */
  budget: Traffic
  /** What a market is expected to send before its traffic has been measured. */
  expectedTraffic(market: Market, nowMs: number): ExpectedTraffic
  meaningOf(closing: Closing): CloseMeaning
}

/** The markets of a plan, as the venue shows them now. */
export interface Listing {
  markets: readonly Market[]
  /** A part could not be read: a market that is missing here may exist. */
  isPartial: boolean
  /** Markets of the catalogue that are not followed, by reason. */
  skipped: readonly Tally[]
  /** What two ways of finding markets disagree on, by kind; the market is followed all the same. */
  differences: readonly Tally[]
}

export interface EndedMarket {
  id: string
  /** Undefined when no listing of the market is known any more. */
  tokenIds?: readonly [string, string]
}

export interface Ending {
  marketId: string
  /** Undefined while the venue has closed the market, but shows no result yet. */
  resolution?: Resolution
}

/** What a window starts and ends with, in units of 10^-18 USD. */
export interface WindowPrices {
  start?: bigint | undefined
  end?: bigint | undefined
}

/**
 * What is said on one connection. It remembers what the venue makes us remember, such as sequence numbers; a new
 * connection begins with a new one.
 */
export interface SocketProtocol {
  subscribeFrames(tokenIds: readonly string[]): string[]
  unsubscribeFrames(tokenIds: readonly string[]): string[]
  /** Decodes one text frame; never throws. Known events that are not needed are left out. */
  decode(text: string, receivedAtMs: number): DecodedFrame
  /** What `decode` remembers, as JSON can hold it; undefined when it remembers nothing. */
  checkpoint(): unknown
  restore(checkpoint: unknown): void
}

/** A venue of binary markets: data and pure functions; `runFeed` keeps its sockets open. */
export interface BinaryVenue {
  readonly id: string
  readonly socket: SocketRules
  /** Whether a REST book can replace a book in doubt: it must say which changes of the socket it contains. */
  readonly isRestBookJoinable: boolean
  openProtocol(): SocketProtocol
  /** The markets of a plan that should be followed now; throws when nothing could be read. */
  discover(plan: CategoryPlan, nowMs: number, signal: AbortSignal): Promise<Listing>
  /** Whole books over REST, for the stale-book check; unknown tokens are left out. */
  fetchBooks(tokenIds: readonly string[], signal: AbortSignal): Promise<BookEvent[]>
  /** What REST says about markets that should have ended; those that are open or unknown are left out. */
  fetchEndings(markets: readonly EndedMarket[], nowMs: number, signal: AbortSignal): Promise<Ending[]>
  /** Whether the venue's proof can be checked now; `rule_changed`: books are recorded unverified. */
  proofState(): 'holds' | 'rule_changed'
  /** Since when the venue's rule is unknown; for a checkpoint. */
  ruleChangedAtMs(): number | undefined
  restoreRule(changedAtMs: number | undefined): void
  /** The prices that the venue states for a window, over REST; those that it has not stated yet are left out. */
  fetchWindowPrices(eventSlug: string, signal: AbortSignal): Promise<WindowPrices>
  /** The recorded series of prices that windows of this timeframe settle on; undefined when it is not recorded. */
  settlesOn(timeframe: string): PriceSource | undefined
  openBook(market: Market): BinaryBook
}

import type { FeedRules } from './feed-options.ts'
import type { PerpBook } from './perp-book.ts'
import type { PerpBookEvent, PerpEvent, PerpStream } from './perp-events.ts'
import type { FrameProblem } from './venue.ts'

/** A venue of perpetual futures. Each of the two streams has its own socket. */
export interface PerpVenue {
  readonly id: string
  readonly socket: FeedRules
  /** The coins that can be subscribed; must be called before the first subscription. */
  listCoins(signal: AbortSignal): Promise<ReadonlySet<string>>
  subscribeFrames(stream: PerpStream, coins: readonly string[]): string[]
  unsubscribeFrames(stream: PerpStream, coins: readonly string[]): string[]
  decode(text: string, stream: PerpStream): { events: readonly PerpEvent[]; problems: readonly FrameProblem[] }
  /** The whole book over REST, weight 2 of 1200 a minute; undefined for an unknown coin. */
  fetchBook(coin: string, signal: AbortSignal): Promise<PerpBookEvent | undefined>
  openBook(coin: string): PerpBook
}

import type { BookFrame } from './generated/stream-types.ts'
import { Ladder, type Level } from './ladder.ts'
import type { StreamEvent } from './stream-events.ts'

/** Why a book is not reliable. */
export type Doubt =
  /** A delta is missing; the book is wrong until the next snapshot. */
  | 'sequence'
  /** Slots after this book are missing. */
  | 'gap'
  /** The service marked this slot as suspect after sending it. */
  | 'suspect'
  /** Frames were skipped because the reader or the network was too slow. */
  | 'skipped'
  /** The recorder receives no data of this market. */
  | 'dark'
  /** The connection is broken. */
  | 'disconnected'

type Sides = NonNullable<BookFrame['up']>

/** Both sides of one instrument. */
export class KeptBook {
  readonly #bids = new Ladder(true)
  readonly #asks = new Ladder(false)

  /** Best first. */
  get bids(): readonly Level[] {
    return this.#bids.levels
  }

  get asks(): readonly Level[] {
    return this.#asks.levels
  }

  /** Price of the best bid; `bids[0]` also has its size. Undefined when there are no bids. */
  get bestBid(): number | undefined {
    return this.#bids.best?.[0]
  }

  /** Price of the best ask; `asks[0]` also has its size. Undefined when there are no asks. */
  get bestAsk(): number | undefined {
    return this.#asks.best?.[0]
  }

  /** Undefined when a side is empty. */
  get mid(): number | undefined {
    const { bestBid, bestAsk } = this
    return bestBid === undefined || bestAsk === undefined ? undefined : (bestBid + bestAsk) / 2
  }

  replace({ bids, asks }: Sides): void {
    this.#bids.replace(bids)
    this.#asks.replace(asks)
  }

  change({ bids, asks }: Sides): void {
    for (const [price, size] of bids) this.#bids.set(price, size)
    for (const [price, size] of asks) this.#asks.set(price, size)
  }
}

/** The books of one market as of `seq`. */
export class KeptMarket {
  readonly market: string
  /** The last frame that was applied. */
  frame: BookFrame
  /** Undefined when the books are correct as of `frame` and no later data is known to be missing. */
  doubt: Doubt | undefined
  /** Books of a prediction market. */
  readonly up = new KeptBook()
  readonly down = new KeptBook()
  /** Book of a perpetual future. */
  readonly book = new KeptBook()

  constructor(frame: BookFrame) {
    this.market = frame.market
    this.frame = frame
  }

  get seq(): number {
    return this.frame.seq
  }

  get capturedAt(): number {
    return this.frame.captured_at
  }

  get isTrusted(): boolean {
    return this.doubt === undefined
  }
}

/** Maintains the books of a stream or a replay. Pass every event: events without books tell whether the books are reliable. */
export class BookKeeper {
  readonly #markets = new Map<string, KeptMarket>()

  /** Undefined until the first snapshot of the market. */
  get(market: string): KeptMarket | undefined {
    return this.#markets.get(market)
  }

  markets(): IterableIterator<KeptMarket> {
    return this.#markets.values()
  }

  /** Returns the market whose books changed; undefined when none did. */
  apply(event: StreamEvent): KeptMarket | undefined {
    switch (event.type) {
      case 'snapshot':
      case 'delta':
        return this.#applyBook(event)
      case 'gap':
        if (event.channel === 'book') this.#doubtGap(event)
        return undefined
      case 'skipped':
        if (event.channel === 'book') this.#doubt(event.market, 'skipped')
        return undefined
      case 'dark':
        if (event.market !== undefined) this.#doubt(event.market, 'dark')
        return undefined
      case 'resolved':
        this.#markets.delete(event.market)
        return undefined
      case 'disconnected':
        for (const market of this.#markets.keys()) this.#doubt(market, 'disconnected')
        return undefined
      default:
        return undefined
    }
  }

  #applyBook(frame: BookFrame): KeptMarket | undefined {
    const known = this.#markets.get(frame.market)
    const isWhole = frame.type === 'snapshot'
    if (!isWhole && (known === undefined || known.doubt === 'sequence' || frame.prev_seq !== known.seq)) {
      this.#doubt(frame.market, 'sequence')
      return undefined
    }
    const market = known ?? new KeptMarket(frame)
    for (const side of ['up', 'down', 'book'] as const) {
      const sides = frame[side]
      if (sides === undefined) continue
      if (isWhole) market[side].replace(sides)
      else market[side].change(sides)
    }
    market.frame = frame
    market.doubt = undefined
    this.#markets.set(frame.market, market)
    return market
  }

  #doubtGap({ market, kind, from_seq, to_seq }: Extract<StreamEvent, { type: 'gap' }>): void {
    const seq = this.#markets.get(market)?.seq
    if (kind !== 'suspect') this.#doubt(market, 'gap')
    else if (seq !== undefined && seq >= from_seq && seq <= to_seq) this.#doubt(market, 'suspect')
  }

  #doubt(market: string, doubt: Doubt): void {
    const known = this.#markets.get(market)
    // A missing delta outranks other doubts: only a snapshot repairs the book.
    if (known !== undefined && known.doubt !== 'sequence') known.doubt = doubt
  }
}

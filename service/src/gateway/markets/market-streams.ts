import type { GapSegment } from '../../domain/hole.ts'
import type { Trade } from '../../domain/rows/trade.ts'
import { gapFrame, RowFrames, tradeFrame, tradeSeq } from '../frames/row-frames.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import type { Channel, StreamOptions } from '../protocol/protocol.ts'
import type { StreamMarket } from './stream-market.ts'

/** Where frames go. A full one is not written to: what would be sent is remembered as one newest row. */
export interface Outlet {
  readonly isFull: boolean
  send(frame: Buffer | string): void
}

/** One channel of one market on one connection: what was sent last, and so what comes next. */
export interface MarketStream {
  readonly channel: Channel
  readonly market: StreamMarket
  row?(frames: RowFrames, gaps: readonly GapSegment[]): void
  trade?(trade: Trade, sentAtMs: number): void
  news?(frame: string): void
  /** The reader has caught up. */
  drained?(nowMs: number): void
}

/** More holes than this are told as part of what a slow reader missed. */
const MOST_GAPS_HELD = 16

interface Missed {
  readonly fromSeq: number
  /** Before the newest. */
  toSeq: number
  frames: number
  newest: RowFrames
}

/** What `book` and `bbo` share: holes first, every slot once, and one newest row for a reader that is too slow. */
abstract class RowStream implements MarketStream {
  abstract readonly channel: 'book' | 'bbo'
  readonly market: StreamMarket
  readonly outlet: Outlet
  readonly #everyMs: number
  /** Of the newest row that was told, or that the client has named. */
  #lastSeq: number | undefined
  #missed: Missed | undefined
  #gaps: GapSegment[] = []

  constructor(
    market: StreamMarket,
    outlet: Outlet,
    { interval_ms: intervalMs = 0 }: Pick<StreamOptions, 'interval_ms'>,
  ) {
    this.market = market
    this.outlet = outlet
    this.#everyMs = Math.max(1, Math.ceil(intervalMs / market.intervalMs)) * market.intervalMs
  }

  /** Holes before the first row are told too: the client named the row before it. */
  continues(sinceSeq: number): void {
    this.#lastSeq = sinceSeq
  }

  row(frames: RowFrames, gaps: readonly GapSegment[]): void {
    // The store may be ahead of the bus: what was told from there comes once more when the stream goes live.
    if (this.#lastSeq !== undefined && frames.row.seq <= this.#lastSeq) return
    if (gaps.length > 0 && this.#lastSeq !== undefined) this.#tellGaps(gaps, frames.sentAtMs)
    this.#lastSeq = frames.row.seq
    if ((frames.row.seq * this.market.intervalMs) % this.#everyMs !== 0 || !this.isNews(frames)) return
    const missed = this.#missed
    if (missed !== undefined) {
      missed.toSeq = missed.newest.row.seq
      missed.frames++
      missed.newest = frames
    } else if (this.outlet.isFull) {
      this.#missed = { fromSeq: frames.row.seq, toSeq: frames.row.seq, frames: 0, newest: frames }
    } else {
      this.put(frames, true)
    }
  }

  drained(nowMs: number): void {
    for (const gap of this.#gaps.splice(0)) this.outlet.send(gapFrame(this.market, this.channel, gap, nowMs))
    const missed = this.#missed
    if (missed === undefined) return
    this.#missed = undefined
    const { fromSeq, toSeq, frames, newest } = missed
    if (frames > 0) this.outlet.send(skippedFrame(this, { fromSeq, toSeq, frames }, nowMs))
    this.put(new RowFrames(this.market, newest.row, nowMs), frames === 0)
  }

  /** Whether the row would be sent to a reader that is fast enough. */
  protected abstract isNews(frames: RowFrames): boolean
  protected abstract put(frames: RowFrames, isNextInLine: boolean): void

  #tellGaps(gaps: readonly GapSegment[], sentAtMs: number): void {
    if (!this.outlet.isFull && this.#missed === undefined) {
      for (const gap of gaps) this.outlet.send(gapFrame(this.market, this.channel, gap, sentAtMs))
    } else if (this.#gaps.length < MOST_GAPS_HELD) {
      this.#gaps.push(...gaps)
    }
  }
}

/** Without a depth, more levels than any book has. */
const ALL_LEVELS = 1_000_000

export class BookStream extends RowStream {
  override readonly channel = 'book'
  readonly #depth: number
  readonly #isDelta: boolean
  #sent: StreamRow | undefined

  constructor(market: StreamMarket, outlet: Outlet, options: StreamOptions) {
    super(market, outlet, options)
    this.#depth = options.depth ?? ALL_LEVELS
    this.#isDelta = options.mode === 'delta'
  }

  protected override isNews(): boolean {
    return true
  }

  protected override put(frames: RowFrames, isNextInLine: boolean): void {
    const before = this.#sent
    this.#sent = frames.row
    const isDelta = this.#isDelta && isNextInLine && before !== undefined
    this.outlet.send(isDelta ? frames.delta(this.#depth, before) : frames.snapshot(this.#depth, before?.seq ?? null))
  }
}

export class BboStream extends RowStream {
  override readonly channel = 'bbo'
  #seen: string | undefined
  #sentSeq: number | null = null

  protected override isNews({ touch }: RowFrames): boolean {
    const isNews = touch !== this.#seen
    this.#seen = touch
    return isNews
  }

  protected override put(frames: RowFrames): void {
    this.outlet.send(frames.bbo(this.#sentSeq))
    this.#sentSeq = frames.row.seq
  }
}

export class TradeStream implements MarketStream {
  readonly channel = 'trade'
  readonly market: StreamMarket
  readonly #outlet: Outlet
  #sentSeq: number | null = null
  #missed: { fromSeq: number; toSeq: number; frames: number } | undefined

  constructor(market: StreamMarket, outlet: Outlet) {
    this.market = market
    this.#outlet = outlet
  }

  trade(trade: Trade, sentAtMs: number): void {
    const seq = tradeSeq(this.market, trade)
    if (this.#outlet.isFull || this.#missed !== undefined) {
      this.#missed ??= { fromSeq: seq, toSeq: seq, frames: 0 }
      this.#missed.toSeq = seq
      this.#missed.frames++
      return
    }
    this.#outlet.send(tradeFrame(this.market, trade, this.#sentSeq, sentAtMs))
    this.#sentSeq = seq
  }

  drained(nowMs: number): void {
    if (this.#missed !== undefined) this.#outlet.send(skippedFrame(this, this.#missed, nowMs))
    this.#missed = undefined
  }
}

/** `market` and `status`: words that others make, few enough to be sent whatever waits. */
export class NewsStream implements MarketStream {
  readonly channel: 'market' | 'status'
  readonly market: StreamMarket
  readonly #outlet: Outlet

  constructor(channel: 'market' | 'status', market: StreamMarket, outlet: Outlet) {
    this.channel = channel
    this.market = market
    this.#outlet = outlet
  }

  news(frame: string): void {
    this.#outlet.send(frame)
  }
}

export function marketStreamOf(
  channel: Channel,
  market: StreamMarket,
  outlet: Outlet,
  options: StreamOptions,
): MarketStream {
  switch (channel) {
    case 'book':
      return new BookStream(market, outlet, options)
    case 'bbo':
      return new BboStream(market, outlet, options)
    case 'trade':
      return new TradeStream(market, outlet)
    default:
      return new NewsStream(channel, market, outlet)
  }
}

function skippedFrame(
  { channel, market }: Pick<MarketStream, 'channel' | 'market'>,
  { fromSeq, toSeq, frames }: { fromSeq: number; toSeq: number; frames: number },
  sentAtMs: number,
): string {
  const slots = { from_seq: fromSeq, to_seq: toSeq }
  return JSON.stringify({ channel, type: 'skipped', market: market.name, ...slots, frames, sent_at: sentAtMs })
}

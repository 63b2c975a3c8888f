import type { GapSegment } from '../../domain/hole.ts'
import { gapFrame, RowFrames } from '../frames/row-frames.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import type { StreamOptions } from '../protocol/selector.ts'
import { type MarketStream, type Outlet, skippedFrame } from './market-stream.ts'

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
export abstract class RowStream implements MarketStream {
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

import type { GapSegment } from '../../domain/hole.ts'
import { gapFrame, RowFrames } from '../frames/row-frames.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import type { StreamOptions } from '../protocol/selector.ts'
import { type MarketStream, type Outlet, skippedFrame } from './market-stream.ts'

/** A slow reader gets at most this many gap frames; further gaps are part of its skipped frame. */
const MAX_GAPS_HELD = 16

interface Missed {
  readonly fromSeq: number
  /** The last skipped slot, before `newest`. */
  toSeq: number
  frames: number
  newest: RowFrames
}

/** Base of `book` and `bbo`: gaps first, every slot once, and only the newest row for a slow reader. */
export abstract class RowStream implements MarketStream {
  abstract readonly channel: 'book' | 'bbo'
  readonly market: StreamMarket
  readonly outlet: Outlet
  readonly #everyMs: number
  /** Slot of the newest row that was received, or that the client named when it resumed. */
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

  /** The client has all rows up to `sinceSeq`, so gaps before the first row are sent too. */
  continues(sinceSeq: number): void {
    this.#lastSeq = sinceSeq
  }

  row(frames: RowFrames, gaps: readonly GapSegment[]): void {
    // The store may be ahead of the bus, so rows from the store can arrive again when the stream is live.
    if (this.#lastSeq !== undefined && frames.row.seq <= this.#lastSeq) return
    if (gaps.length > 0 && this.#lastSeq !== undefined) this.#sendGaps(gaps, frames.sentAtMs)
    this.#lastSeq = frames.row.seq
    if ((frames.row.seq * this.market.intervalMs) % this.#everyMs !== 0 || !this.mustSend(frames)) return
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

  /** Whether the row is sent to a reader that is not slow. */
  protected abstract mustSend(frames: RowFrames): boolean
  protected abstract put(frames: RowFrames, isNextInLine: boolean): void

  #sendGaps(gaps: readonly GapSegment[], sentAtMs: number): void {
    if (!this.outlet.isFull && this.#missed === undefined) {
      for (const gap of gaps) this.outlet.send(gapFrame(this.market, this.channel, gap, sentAtMs))
    } else if (this.#gaps.length < MAX_GAPS_HELD) {
      this.#gaps.push(...gaps)
    }
  }
}

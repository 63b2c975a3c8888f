import { BookKeeper } from './book-keeper.ts'
import { BookreelError } from './bookreel-error.ts'
import { EventQueue } from './event-queue.ts'
import type { BookFrame, SkippedFrame } from './generated/stream-types.ts'
import { type DataFrame, isData, type StreamEvent } from './stream-events.ts'

/** The newest frame of one channel and market while the queue is full, and how many frames it replaces. */
interface Held {
  newest: DataFrame
  firstSeq: number
  lastSkippedSeq: number
  skipped: number
  prevSeq: number | null
}

/**
 * Buffers events for the reader of a live stream. When the reader is too slow, only the newest frame of each channel
 * and market is kept: a `skipped` event with the number of dropped frames comes first, then a whole book.
 */
export class LiveBuffer {
  readonly #queue = new EventQueue()
  readonly #held = new Map<string, Held>()
  readonly #limit: number
  /** In delta mode: the whole books, so that a snapshot can replace skipped deltas. */
  readonly #books: BookKeeper | undefined

  constructor({ limit, isDelta }: { limit: number; isDelta: boolean }) {
    this.#limit = limit
    this.#books = isDelta ? new BookKeeper() : undefined
  }

  push(event: StreamEvent): void {
    this.#books?.apply(event)
    if (!isData(event)) {
      this.#queue.push(event)
      if (this.#queue.length > 2 * this.#limit) this.end({ error: tooSlow() })
      return
    }
    const key = `${event.channel} ${event.market}`
    const held = this.#held.get(key)
    if (held !== undefined) {
      held.skipped++
      held.lastSkippedSeq = held.newest.seq
      held.newest = event
    } else if (this.#queue.length >= this.#limit) {
      const { seq, prev_seq } = event
      this.#held.set(key, { newest: event, firstSeq: seq, lastSkippedSeq: seq, skipped: 0, prevSeq: prev_seq })
    } else this.#queue.push(event)
  }

  end(failure?: { error?: unknown }): void {
    this.#release()
    this.#queue.end(failure)
  }

  take(): Promise<StreamEvent | undefined> {
    if (this.#queue.length === 0) this.#release()
    return this.#queue.take()
  }

  #release(): void {
    for (const held of this.#held.values()) {
      if (held.skipped > 0) {
        this.#queue.push(skippedOf(held))
        this.#queue.push({ ...this.#asSnapshot(held.newest), prev_seq: held.prevSeq })
      } else this.#queue.push(held.newest)
    }
    this.#held.clear()
  }

  #asSnapshot(frame: DataFrame): DataFrame {
    if (frame.channel !== 'book' || frame.type !== 'delta') return frame
    const kept = this.#books?.get(frame.market)
    // Without a reliable whole book the delta is passed on; `BookKeeper` detects the missing predecessor.
    if (kept === undefined || kept.seq !== frame.seq || kept.doubt === 'sequence') return frame
    const whole: BookFrame = { ...frame, type: 'snapshot' }
    for (const side of ['up', 'down', 'book'] as const) {
      if (frame[side] === undefined) continue
      const { bids, asks } = kept[side]
      whole[side] = {
        bids: bids.map(([price, size]) => [price, size]),
        asks: asks.map(([price, size]) => [price, size]),
      }
    }
    return whole
  }
}

function skippedOf({ newest, firstSeq, lastSkippedSeq, skipped }: Held): SkippedFrame {
  const { channel, market, sent_at } = newest
  return { channel, type: 'skipped', market, from_seq: firstSeq, to_seq: lastSkippedSeq, frames: skipped, sent_at }
}

function tooSlow(): BookreelError {
  return new BookreelError(
    'slow_reader',
    'The reader is too slow: the event buffer is full. Read faster, or raise bufferSize.',
  )
}

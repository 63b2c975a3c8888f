import { BookKeeper } from './book-keeper.ts'
import { BookreelError } from './bookreel-error.ts'
import { EventQueue } from './event-queue.ts'
import type { BookFrame, SkippedFrame } from './generated/stream-types.ts'
import { type DataFrame, isData, type StreamEvent } from './stream-events.ts'

/** Of one channel and market, while there is no room: the newest frame, and how many it stands for. */
interface Held {
  newest: DataFrame
  firstSeq: number
  lastSkippedSeq: number
  skipped: number
  prevSeq: number | null
}

/**
 * Events on their way to whoever reads a live stream. When they are too slow, the newest frame of each channel and
 * market is kept, a `skipped` before it tells how many were not, and a book that follows is whole.
 */
export class LiveBuffer {
  readonly #queue = new EventQueue()
  readonly #held = new Map<string, Held>()
  readonly #limit: number
  /** Where books come as changes: what a whole one would be. */
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
        this.#queue.push({ ...this.#whole(held.newest), prev_seq: held.prevSeq })
      } else this.#queue.push(held.newest)
    }
    this.#held.clear()
  }

  #whole(frame: DataFrame): DataFrame {
    if (frame.channel !== 'book' || frame.type !== 'delta') return frame
    const kept = this.#books?.get(frame.market)
    // Changes that can't be put together stay what they are; whoever applies them will notice.
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
  return new BookreelError('slow_reader', 'Events came faster than they were read for too long.')
}

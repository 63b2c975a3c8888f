import type { MarketHappening } from '../feed-frames.ts'
import { RecordReader, type WrittenFrame } from './tape-records.ts'

export type { WrittenFrame } from './tape-records.ts'

/**
 * Frames of a world that were written ahead of time. The world itself still runs beside its tape, because that costs
 * little and answers everything else; each of its events takes the frames of its record.
 */
export class Tape {
  /** Start of the world. */
  readonly startMs: number
  /** Later events have no record. */
  readonly endMs: number
  /** Part n has the records of the markets whose number leaves n when divided by the number of parts. */
  readonly #parts: readonly RecordReader[]

  constructor({ startMs, endMs }: { startMs: number; endMs: number }, parts: readonly (readonly Uint8Array[])[]) {
    this.startMs = startMs
    this.endMs = endMs
    this.#parts = parts.map((blocks) => new RecordReader(blocks))
  }

  /** Called once for each event of the world, in order. Undefined after the end of the tape. */
  framesOf({ market, atMs }: MarketHappening): WrittenFrame[] | undefined {
    if (atMs > this.endMs) return undefined
    const record = this.#parts[market.order % this.#parts.length]?.read()
    if (record?.key.order !== market.order || record.key.atMs !== atMs)
      throw new Error(`the world differs from its tape in market ${market.conditionId} at ${atMs}`)
    return record.frames
  }
}

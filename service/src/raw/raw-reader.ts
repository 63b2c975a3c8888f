import type { ReadRecord } from './block-builder.ts'
import { recordsIn } from './block-builder.ts'
import {
  indexLength,
  partsOf,
  readIndex,
  type SegmentIndex,
  sha256Of,
  TRAILER_BYTES,
  unpackBlock,
} from './segment-format.ts'
import { type SegmentPlace, type StoredSegment, segmentsIn } from './stored-segments.ts'

export interface RawRange {
  /** Inclusive. */
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

/** Time of which the archive has nothing, although it should. */
export interface MissingTime {
  readonly recorder: string
  readonly fromMs: number
  readonly toMs: number
  readonly reason: string
}

/** Usually enough for the index, so that one request reads it. */
const USUAL_INDEX_BYTES = 32 * 1024

/** Reads the raw archive from all its places; a segment that is in several is read from the first. */
export class RawReader {
  readonly #places: readonly SegmentPlace[]
  readonly #onMissing: (missing: MissingTime) => void

  constructor(places: readonly SegmentPlace[], onMissing: (missing: MissingTime) => void) {
    this.#places = places
    this.#onMissing = onMissing
  }

  /** Segments that may have records in the range, by recorder and in the order in which they were written. */
  async segments({ fromMs, toMs }: RawRange): Promise<Map<string, StoredSegment[]>> {
    const known = new Map<string, StoredSegment>()
    for (const place of this.#places) {
      for (const segment of await segmentsIn(place)) {
        const name = `${segment.recorder} ${segment.number}`
        const isBetter = known.get(name)?.endMs === undefined && segment.endMs !== undefined
        if (isBetter || !known.has(name)) known.set(name, segment)
      }
    }
    const wanted = [...known.values()].filter(
      ({ startMs, endMs }) => startMs < toMs && (endMs ?? Number.POSITIVE_INFINITY) >= fromMs,
    )
    const inOrder = wanted.toSorted((one, other) => one.number - other.number)
    const oldestFirst = inOrder.toSorted((one, other) => one.startMs - other.startMs)
    return new Map(oldestFirst.map(({ recorder }) => [recorder, inOrder.filter((each) => each.recorder === recorder)]))
  }

  /** Reports segments of one recorder that are missing between these. */
  reportMissing(segments: readonly StoredSegment[]): void {
    for (const [index, segment] of segments.entries()) this.#reportMissingSegments(segments[index - 1], segment)
  }

  /** What one recorder wrote, in the original order. Damaged parts are skipped and reported. */
  async *read(segments: readonly StoredSegment[], { fromMs, toMs }: RawRange): AsyncGenerator<ReadRecord> {
    let before: StoredSegment | undefined
    for (const segment of segments) {
      this.#reportMissingSegments(before, segment)
      before = segment
      for await (const block of this.#blocks(segment)) {
        if (block.maxMs < fromMs || block.minMs >= toMs) continue
        for (const record of recordsIn(await unpackBlock(block)))
          if (record.atMs >= fromMs && record.atMs < toMs) yield record
      }
    }
  }

  async index(segment: StoredSegment): Promise<SegmentIndex | undefined> {
    const { place, key, bytes } = segment
    if (segment.endMs === undefined) return undefined
    const last = (length: number): Promise<Buffer> =>
      place.store.get(`${place.prefix}${key}`, { start: Math.max(0, bytes - length), end: bytes })
    const end = await last(Math.max(USUAL_INDEX_BYTES, TRAILER_BYTES))
    const length = indexLength(end) ?? 0
    return readIndex(length > end.length ? await last(length) : end)
  }

  /** Returns what is wrong with the segment, or undefined. */
  async verify(segment: StoredSegment): Promise<string | undefined> {
    const bytes = await segment.place.store.get(`${segment.place.prefix}${segment.key}`)
    const index = readIndex(bytes)
    if (segment.endMs === undefined) return undefined
    if (index === undefined) return 'its index is missing or damaged'
    const content = bytes.subarray(0, bytes.length - (indexLength(bytes) ?? 0))
    const damaged = [...partsOf(content)].filter((part) => !('packed' in part))
    const parts = damaged.map(({ offset, bytes: length }) => `${length} bytes at ${offset}`)
    if (parts.length > 0) return `damaged: ${parts.join(', ')}`
    return sha256Of(content) === index.sha256 ? undefined : 'its checksum is wrong'
  }

  async *#blocks(segment: StoredSegment) {
    const { place, key, recorder, startMs, endMs } = segment
    const bytes = await place.store.get(`${place.prefix}${key}`)
    const indexBytes = readIndex(bytes) === undefined ? 0 : (indexLength(bytes) ?? 0)
    let readUntilMs = startMs
    let damagedAt: number | undefined
    const report = (toMs: number): void => {
      if (damagedAt === undefined) return
      const reason = `${place.store.place}: ${key} is damaged at byte ${damagedAt}`
      this.#onMissing({ recorder, fromMs: readUntilMs, toMs, reason })
      damagedAt = undefined
    }
    for (const part of partsOf(bytes.subarray(0, bytes.length - indexBytes))) {
      if (!('packed' in part)) {
        damagedAt = part.offset
        continue
      }
      report(part.minMs)
      yield part
      readUntilMs = part.maxMs
    }
    // The end of a segment that is being written is not damage.
    if (endMs !== undefined) report(endMs)
  }

  #reportMissingSegments(before: StoredSegment | undefined, segment: StoredSegment): void {
    if (before === undefined || segment.number === before.number + 1) return
    this.#onMissing({
      recorder: segment.recorder,
      fromMs: before.endMs ?? before.startMs,
      toMs: segment.startMs,
      reason: `${segment.number - before.number - 1} segments of this recorder are missing`,
    })
  }
}

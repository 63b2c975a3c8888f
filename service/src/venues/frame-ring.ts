import { open } from 'node:fs/promises'

export interface RingLimits {
  ageMs: number
  bytes: number
}

interface KeptFrame {
  receivedAtMs: number
  text: string
}

interface KeptBytes {
  receivedAtMs: number
  data: Buffer
}

/** Frames one after the other, each with its length and time in front. */
interface Segment {
  bytes: Buffer
  used: number
  newestAtMs: number
}

const FRAMES_AT_ONCE = 250
const DEFAULT_LIMITS: RingLimits = { ageMs: 60_000, bytes: 32 * 1024 * 1024 }
const SEGMENT_BYTES = 256 * 1024
const HEADER_BYTES = 12

/**
 * The frames of the last minute of a socket, for dumps. They are copied into a few large buffers, because the
 * garbage collector would have to scan a hundred thousand small ones.
 */
export class FrameRing {
  readonly #limits: RingLimits
  #segments: Segment[] = []

  constructor(limits: RingLimits = DEFAULT_LIMITS) {
    this.#limits = limits
  }

  get frames(): readonly KeptFrame[] {
    return this.#kept().map(frameOf)
  }

  /** The frames within the limits, oldest first. */
  #kept(): KeptBytes[] {
    const frames = this.#segments.flatMap((segment) => [...framesIn(segment)])
    const newestAtMs = frames.at(-1)?.receivedAtMs ?? 0
    let bytes = 0
    const first = frames.findLastIndex(({ receivedAtMs, data }) => {
      bytes += data.length
      return newestAtMs - receivedAtMs > this.#limits.ageMs || bytes > this.#limits.bytes
    })
    return frames.slice(first + 1)
  }

  keep(data: Buffer, receivedAtMs: number): void {
    const segment = this.#segmentFor(HEADER_BYTES + data.length)
    segment.bytes.writeUInt32LE(data.length, segment.used)
    segment.bytes.writeDoubleLE(receivedAtMs, segment.used + 4)
    data.copy(segment.bytes, segment.used + HEADER_BYTES)
    segment.used += HEADER_BYTES + data.length
    segment.newestAtMs = receivedAtMs
  }

  /** Writes one JSON object per line into a new file, in parts, so that the event loop is not blocked. */
  async dump(path: string): Promise<void> {
    const frames = this.#kept()
    await using file = await open(path, 'wx')
    for (let from = 0; from < frames.length; from += FRAMES_AT_ONCE) {
      const lines = frames.slice(from, from + FRAMES_AT_ONCE).map((frame) => `${JSON.stringify(frameOf(frame))}\n`)
      await file.write(lines.join(''))
    }
  }

  #segmentFor(length: number): Segment {
    const last = this.#segments.at(-1)
    if (last !== undefined && last.used + length <= last.bytes.length) return last
    this.#forget(last?.newestAtMs ?? 0)
    const segment = { bytes: Buffer.allocUnsafeSlow(Math.max(SEGMENT_BYTES, length)), used: 0, newestAtMs: 0 }
    this.#segments.push(segment)
    return segment
  }

  /** Drops segments that are entirely outside the limits. */
  #forget(nowMs: number): void {
    let bytes = 0
    const first = this.#segments.findLastIndex(({ used, newestAtMs }) => {
      const isTooMuch = bytes > this.#limits.bytes
      bytes += used
      return isTooMuch || nowMs - newestAtMs > this.#limits.ageMs
    })
    this.#segments.splice(0, first + 1)
  }
}

function* framesIn({ bytes, used }: Segment): Generator<KeptBytes> {
  for (let at = 0; at < used; ) {
    const end = at + HEADER_BYTES + bytes.readUInt32LE(at)
    yield { receivedAtMs: bytes.readDoubleLE(at + 4), data: bytes.subarray(at + HEADER_BYTES, end) }
    at = end
  }
}

function frameOf({ receivedAtMs, data }: KeptBytes): KeptFrame {
  return { receivedAtMs, text: data.toString() }
}

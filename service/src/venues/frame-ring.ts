import { open } from 'node:fs/promises'

export interface RingLimits {
  ageMs: number
  bytes: number
}

interface Kept {
  receivedAtMs: number
  /** As bytes, outside of the heap: a hundred thousand texts would keep the collector busy. */
  data: Buffer
}

const FRAMES_AT_ONCE = 250
const USUAL_LIMITS: RingLimits = { ageMs: 60_000, bytes: 32 * 1024 * 1024 }

/** The last minute of a socket, word for word, for the case that something has to be explained. */
export class FrameRing {
  readonly #limits: RingLimits
  #frames: Kept[] = []
  #first = 0
  #bytes = 0

  constructor(limits: RingLimits = USUAL_LIMITS) {
    this.#limits = limits
  }

  get frames(): readonly { receivedAtMs: number; text: string }[] {
    return this.#frames.slice(this.#first).map(shown)
  }

  keep(data: Buffer, receivedAtMs: number): void {
    this.#frames.push({ receivedAtMs, data })
    this.#bytes += data.length
    for (let oldest = this.#frames[this.#first]; oldest !== undefined; oldest = this.#frames[this.#first]) {
      const isTooOld = receivedAtMs - oldest.receivedAtMs > this.#limits.ageMs
      if (!isTooOld && this.#bytes <= this.#limits.bytes) break
      this.#bytes -= oldest.data.length
      this.#first++
    }
    // Forgetting one by one would move all the others each time.
    if (this.#first > 1_000 && this.#first > this.#frames.length / 2) {
      this.#frames = this.#frames.slice(this.#first)
      this.#first = 0
    }
  }

  /** Writes one JSON object a line into a new file, some at a time: others have work to do meanwhile. */
  async dump(path: string): Promise<void> {
    const kept = this.#frames.slice(this.#first)
    await using file = await open(path, 'wx')
    for (let from = 0; from < kept.length; from += FRAMES_AT_ONCE) {
      const lines = kept.slice(from, from + FRAMES_AT_ONCE).map((frame) => `${JSON.stringify(shown(frame))}\n`)
      await file.write(lines.join(''))
    }
  }
}

function shown({ receivedAtMs, data }: Kept): { receivedAtMs: number; text: string } {
  return { receivedAtMs, text: data.toString() }
}

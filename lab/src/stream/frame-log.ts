import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { FrameText } from './frame-text.ts'

/** The frames of one channel of one market, in order: their identity, and the position of their text. */
interface Track {
  readonly keys: string[]
  readonly hashes: number[]
  readonly offsets: number[]
  readonly lengths: number[]
  /** Number of frames matched so far. */
  met: number
}

export interface Difference {
  readonly kind: 'different' | 'missing' | 'extra'
  readonly track: string
  readonly key: string
  readonly live?: string
  readonly replayed?: string
}

const KEPT_DIFFERENCES = 10
const SHOWN = 4_000
const HASH_BYTES = 6
const FLUSH_AT_BYTES = 1_000_000

/**
 * The frames of a client, to be compared with a replay. A hash of each frame is kept in memory; the texts go to a file, to
 * be shown where they differ.
 */
export class FrameLog implements AsyncDisposable {
  readonly differences: Difference[] = []
  readonly counts = { recorded: 0, gaps: 0, equal: 0, different: 0, missing: 0, extra: 0 }
  readonly #tracks = new Map<string, Track>()
  readonly #file: FileHandle
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #offset = 0
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async open(path: string): Promise<FrameLog> {
    return new FrameLog(await open(path, 'w+'))
  }

  record(frame: FrameText): void {
    const track = this.#track(frame)
    const bytes = Buffer.from(frame.text, 'latin1')
    track.keys.push(keyOf(frame))
    track.hashes.push(hashOf(frame.text))
    track.offsets.push(this.#offset)
    track.lengths.push(bytes.length)
    this.#offset += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= FLUSH_AT_BYTES) this.#flush()
    this.counts.recorded++
    if (frame.type === 'gap') this.counts.gaps++
  }

  /** Matches a frame of the replay: the next of its track, a later one, or none. */
  meet(frame: FrameText): void {
    const track = this.#track(frame)
    const key = keyOf(frame)
    const at = track.keys.indexOf(key, track.met)
    if (at < 0) {
      this.counts.extra++
      this.#note({ kind: 'extra', track: trackOf(frame), key, replayed: frame.text })
      return
    }
    for (let index = track.met; index < at; index++) this.#miss(frame, track, index)
    track.met = at + 1
    if (track.hashes[at] === hashOf(frame.text)) {
      this.counts.equal++
      return
    }
    this.counts.different++
    this.#note({ kind: 'different', track: trackOf(frame), key, replayed: frame.text }, track, at)
  }

  /** Called after the last frame of the replay; unmatched frames are missing. */
  async finish(): Promise<void> {
    for (const [name, track] of this.#tracks) {
      const [channel, market] = name.split(' ') as ['book' | 'bbo', string]
      for (let index = track.met; index < track.keys.length; index++) this.#miss({ channel, market }, track, index)
    }
    this.#flush()
    await this.#writing
    for (const [index, { at, ...difference }] of this.#noted.entries()) {
      this.differences[index] = at === undefined ? difference : { ...difference, live: await this.#textAt(at) }
    }
  }

  /** Removes the frames of a market that is not compared. */
  forget(market: string): void {
    for (const channel of ['book', 'bbo'] as const) {
      this.counts.recorded -= this.#tracks.get(trackOf({ channel, market }))?.keys.length ?? 0
      this.#tracks.delete(trackOf({ channel, market }))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing
    await this.#file.close()
  }

  readonly #noted: (Difference & { at?: { offset: number; length: number } })[] = []

  #note(difference: Difference, track?: Track, index = 0): void {
    if (this.#noted.length >= KEPT_DIFFERENCES) return
    const { replayed } = difference
    const at = track && { offset: track.offsets[index] ?? 0, length: Math.min(SHOWN, track.lengths[index] ?? 0) }
    this.#noted.push({
      ...difference,
      ...(replayed !== undefined && { replayed: replayed.slice(0, SHOWN) }),
      ...(at !== undefined && { at }),
    })
  }

  #miss(of: Pick<FrameText, 'channel' | 'market'>, track: Track, index: number): void {
    this.counts.missing++
    this.#note({ kind: 'missing', track: trackOf(of), key: track.keys[index] ?? '' }, track, index)
  }

  #track(of: Pick<FrameText, 'channel' | 'market'>): Track {
    const name = trackOf(of)
    const known = this.#tracks.get(name) ?? { keys: [], hashes: [], offsets: [], lengths: [], met: 0 }
    this.#tracks.set(name, known)
    return known
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#writing = this.#writing.then(() => this.#file.appendFile(bytes))
  }

  async #textAt({ offset, length }: { offset: number; length: number }): Promise<string> {
    const bytes = Buffer.alloc(length)
    await this.#file.read(bytes, 0, length, offset)
    return bytes.toString('latin1')
  }
}

function trackOf({ channel, market }: Pick<FrameText, 'channel' | 'market'>): string {
  return `${channel} ${market}`
}

/** Several gaps may begin at the same slot, so their text is part of the identity. */
function keyOf({ type, seq }: FrameText): string {
  return type === 'gap' ? `gap ${seq}` : String(seq)
}

function hashOf(text: string): number {
  return hash('sha1', text, 'buffer').readUIntBE(0, HASH_BYTES)
}

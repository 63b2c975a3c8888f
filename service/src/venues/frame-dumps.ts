import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FrameRing } from './frame-ring.ts'

export interface FrameDumpOptions {
  folder: string
  /** Older ones are removed. */
  mostFiles: number
  nowMs: () => number
  onWritten: (dump: Dump) => void
  onFailed: (error: unknown) => void
}

export interface Dump {
  venue: string
  /** What tells the venue's sockets apart. */
  socket: string
  /** One word. */
  reason: string
}

/** Who has to explain one fault has no use for a hundred files about it. */
const EVERY_MS = 60_000
const SUFFIX = '.jsonl'

/** Writes the last minute of a socket into a file of its own when something about it has to be explained. */
export class FrameDumps {
  readonly #options: FrameDumpOptions
  readonly #dumpedAtMs = new Map<string, number>()
  #writing: Promise<void> = Promise.resolve()

  constructor(options: FrameDumpOptions) {
    this.#options = options
  }

  /** At most one for each socket and minute; returns at once, and a full disk stops nobody. */
  dump(ring: FrameRing, dump: Dump): void {
    const { nowMs, onWritten, onFailed } = this.#options
    const atMs = nowMs()
    const socket = `${dump.venue} ${dump.socket}`
    if (atMs - (this.#dumpedAtMs.get(socket) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    for (const [other, otherAtMs] of this.#dumpedAtMs) if (atMs - otherAtMs >= EVERY_MS) this.#dumpedAtMs.delete(other)
    this.#dumpedAtMs.set(socket, atMs)
    this.#writing = this.#writing.then(() => this.#write(ring, dump, atMs)).then(() => onWritten(dump), onFailed)
  }

  /** Resolves when everything asked for so far is written. */
  settled(): Promise<void> {
    return this.#writing
  }

  async #write(ring: FrameRing, { venue, socket, reason }: Dump, atMs: number): Promise<void> {
    const { folder, mostFiles } = this.#options
    await mkdir(folder, { recursive: true })
    // The time stands first, so that names sort by age.
    const time = new Date(atMs).toISOString().replaceAll(':', '-')
    await ring.dump(join(folder, `${time}_${venue}_${socket}_${reason}${SUFFIX}`))
    const files = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort()
    for (const name of files.slice(0, Math.max(0, files.length - mostFiles)))
      await rm(join(folder, name), { force: true })
  }
}

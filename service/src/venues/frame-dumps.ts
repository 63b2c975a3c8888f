import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FrameRing } from './frame-ring.ts'

export interface FrameDumpOptions {
  folder: string
  /** When there are more, the oldest are removed. */
  mostFiles: number
  nowMs: () => number
  onWritten: (dump: Dump) => void
  onFailed: (error: unknown) => void
}

export interface Dump {
  venue: string
  /** Identifies the socket among those of the venue. */
  socket: string
  /** One word; part of the file name. */
  reason: string
}

/** At most one dump per socket in this time: one problem does not need a hundred files. */
const EVERY_MS = 60_000
const SUFFIX = '.jsonl'

/** Writes the last minute of frames of a socket to a file when a problem must be diagnosed. */
export class FrameDumps {
  readonly #options: FrameDumpOptions
  readonly #dumpedAtMs = new Map<string, number>()
  #writing: Promise<void> = Promise.resolve()

  constructor(options: FrameDumpOptions) {
    this.#options = options
  }

  /** Returns at once; a failure, such as a full disk, is only reported. */
  dump(ring: FrameRing, dump: Dump): void {
    const { nowMs, onWritten, onFailed } = this.#options
    const atMs = nowMs()
    const socket = `${dump.venue} ${dump.socket}`
    if (atMs - (this.#dumpedAtMs.get(socket) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    for (const [other, otherAtMs] of this.#dumpedAtMs) if (atMs - otherAtMs >= EVERY_MS) this.#dumpedAtMs.delete(other)
    this.#dumpedAtMs.set(socket, atMs)
    this.#writing = this.#writing.then(() => this.#write(ring, dump, atMs)).then(() => onWritten(dump), onFailed)
  }

  /** Resolves when all dumps requested so far are written. */
  settled(): Promise<void> {
    return this.#writing
  }

  async #write(ring: FrameRing, { venue, socket, reason }: Dump, atMs: number): Promise<void> {
    const { folder, mostFiles } = this.#options
    await mkdir(folder, { recursive: true })
    // The time comes first, so that names sort by age.
    const time = new Date(atMs).toISOString().replaceAll(':', '-')
    await ring.dump(join(folder, `${time}_${venue}_${socket}_${reason}${SUFFIX}`))
    const files = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort()
    for (const name of files.slice(0, Math.max(0, files.length - mostFiles)))
      await rm(join(folder, name), { force: true })
  }
}

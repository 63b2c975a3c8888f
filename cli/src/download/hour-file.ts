import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type AnswerFacts, type Bookreel, BookreelError, type DownloadProgress } from '@bookreel/sdk'
import { hourName } from './hours.ts'
import type { MarketHour } from './wanted-hours.ts'

export interface FetchOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: DownloadProgress) => void
  readonly onAnswer: (facts: AnswerFacts) => void
}

interface Part {
  readonly bytes: Uint8Array
  readonly sha256: string
}

/**
 * The file of one hour. During the download it is called `….<sha256>.part`: the hash in the name tells a later run
 * which file the bytes belong to. It gets its final name when it is complete and its hash is correct.
 */
export class HourFile {
  /** Path relative to the folder, with slashes. */
  readonly name: string
  readonly #path: string
  readonly #folder: string
  readonly #hour: MarketHour

  /** `marketFolder`: folder of the market in the folder of the download. */
  constructor(folder: string, marketFolder: string, hour: MarketHour, revision: number) {
    this.#hour = hour
    this.name = `${marketFolder}/${hourName(hour.hourMs)}${revision === 1 ? '' : `-r${revision}`}.parquet`
    this.#path = join(folder, this.name)
    this.#folder = dirname(this.#path)
  }

  /** Undefined unless the file is complete. */
  read(): Uint8Array | undefined {
    try {
      return readFileSync(this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async fetch(client: Bookreel, options: FetchOptions): Promise<void> {
    mkdirSync(this.#folder, { recursive: true })
    try {
      await this.#fetch(client, options)
    } catch (error) {
      if (!(error instanceof BookreelError) || error.code !== 'corrupt_file') throw error
      // The partial file of an earlier run is damaged: start again.
      for (const part of this.#partFiles()) rmSync(join(this.#folder, part))
      await this.#fetch(client, options)
    }
  }

  async #fetch(client: Bookreel, { onProgress, ...options }: FetchOptions): Promise<void> {
    const { market, hourMs } = this.#hour
    const partial = this.#readPart()
    let writing: { readonly sha256: string; readonly handle: number } | undefined
    try {
      const { sha256 } = await client.history.exportHour(
        market,
        { hour: hourMs },
        {
          ...options,
          partial,
          onProgress: (progress) => {
            if (writing?.sha256 !== progress.sha256) {
              if (writing !== undefined) closeSync(writing.handle)
              const path = this.#partPath(progress.sha256)
              writing = { sha256: progress.sha256, handle: openSync(path, progress.offset === 0 ? 'w' : 'r+') }
            }
            writeSync(writing.handle, progress.chunk, 0, progress.chunk.length, progress.offset)
            onProgress(progress)
          },
        },
      )
      if (writing !== undefined) fsyncSync(writing.handle)
      renameSync(this.#partPath(sha256), this.#path)
      for (const part of this.#partFiles()) rmSync(join(this.#folder, part))
    } finally {
      if (writing !== undefined) closeSync(writing.handle)
    }
  }

  #readPart(): Part | undefined {
    const [part] = this.#partFiles()
    if (part === undefined) return undefined
    return { bytes: readFileSync(join(this.#folder, part)), sha256: part.split('.').at(-2) ?? '' }
  }

  #partFiles(): string[] {
    const prefix = `${hourName(this.#hour.hourMs)}.`
    return readdirSync(this.#folder).filter((name) => name.startsWith(prefix) && /\.[0-9a-f]{64}\.part$/.test(name))
  }

  #partPath(sha256: string): string {
    return join(this.#folder, `${hourName(this.#hour.hourMs)}.${sha256}.part`)
  }
}

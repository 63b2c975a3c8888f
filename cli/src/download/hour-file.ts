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
 * One hour's place in the folder. While it comes it is `….<sha256>.part`, so that the name says what the bytes are the
 * beginning of; it gets its own name when it is whole and its hash is right. Nothing else is kept anywhere.
 */
export class HourFile {
  /** Below the folder, with slashes. */
  readonly name: string
  readonly #path: string
  readonly #folder: string
  readonly #hour: MarketHour

  constructor(folder: string, hour: MarketHour) {
    this.#hour = hour
    this.name = `${hour.market}/${hourName(hour.hourMs)}.parquet`
    this.#path = join(folder, this.name)
    this.#folder = dirname(this.#path)
  }

  /** Undefined unless the whole file is there. */
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
      // What an earlier run left was damaged.
      for (const part of this.#parts()) rmSync(join(this.#folder, part))
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
      for (const part of this.#parts()) rmSync(join(this.#folder, part))
    } finally {
      if (writing !== undefined) closeSync(writing.handle)
    }
  }

  #readPart(): Part | undefined {
    const [part] = this.#parts()
    if (part === undefined) return undefined
    return { bytes: readFileSync(join(this.#folder, part)), sha256: part.split('.').at(-2) ?? '' }
  }

  #parts(): string[] {
    const begin = `${hourName(this.#hour.hourMs)}.`
    return readdirSync(this.#folder).filter((name) => name.startsWith(begin) && /\.[0-9a-f]{64}\.part$/.test(name))
  }

  #partPath(sha256: string): string {
    return join(this.#folder, `${hourName(this.#hour.hourMs)}.${sha256}.part`)
  }
}

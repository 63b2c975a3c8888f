import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { wallClock } from '../../domain/clock.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { forCaller } from '../engines/waiting-caller.ts'
import { type ExportedHour, HOUR_FILE_ON_DISK, type HourKey, hourFileName, hourQueryOf } from './exported-hour.ts'
import { WHOLE_RESULT } from './slot-sql.ts'

export interface HourFile {
  readonly path: string
  readonly name: string
  readonly byteCount: number
  /** Hex. */
  readonly sha256: string
}

export interface HourFileOptions {
  readonly clickhouse: ClickHouseReads
  /** Created if it does not exist. */
  readonly folder: string
  /** Beyond this, the least recently used files are removed. */
  readonly maxBytes: number
}

/** Grows when the columns change: a file with other columns is written again. */
const COLUMNS = 2
/** Settings that could change the bytes of the same rows: threads, the order of blocks, groups and pages. */
export const SAME_BYTES = {
  max_threads: 1,
  max_block_size: '8192',
  output_format_parquet_parallel_encoding: 0,
  output_format_parquet_row_group_size: '20000',
  output_format_parquet_compression_method: 'zstd',
  output_format_parquet_use_custom_encoder: 1,
  output_format_parquet_batch_size: '1024',
  output_format_parquet_data_page_size: '1048576',
  ...WHOLE_RESULT,
} as const

/** Parquet files of finished hours: written once, kept on disk while there is room, and written again with the same bytes. */
export class HourFiles {
  readonly #options: HourFileOptions
  readonly #building = new Map<string, Promise<HourFile>>()
  /** Hashes of files, by path, computed since the process started. */
  readonly #hashes = new Map<string, string>()

  constructor(options: HourFileOptions) {
    this.#options = options
  }

  /** Concurrent calls for the same hour share one write. */
  get(hour: ExportedHour): Promise<HourFile> {
    const name = hourFileName(hour)
    const known = this.#building.get(name)
    if (known !== undefined) return known
    const building = forCaller({ signal: undefined }, () => this.#getOrBuild(hour, name)).finally(() =>
      this.#building.delete(name),
    )
    this.#building.set(name, building)
    return building
  }

  /** Undefined unless the file exists. */
  async peek(hour: HourKey): Promise<HourFile | undefined> {
    const name = hourFileName(hour)
    const path = this.#pathOf(name)
    const byteCount = await stat(path).then(
      ({ size }) => size,
      () => undefined,
    )
    if (byteCount === undefined) return undefined
    const sha256 = this.#hashes.get(path) ?? (await hashOf(path))
    this.#hashes.set(path, sha256)
    return { path, name, byteCount, sha256 }
  }

  async #getOrBuild(hour: ExportedHour, name: string): Promise<HourFile> {
    const existing = await this.peek(hour)
    if (existing === undefined) return this.#build(hour, name)
    const now = new Date(wallClock())
    await utimes(existing.path, now, now)
    return existing
  }

  async #build(hour: ExportedHour, name: string): Promise<HourFile> {
    const { folder } = this.#options
    await mkdir(folder, { recursive: true })
    const path = this.#pathOf(name)
    const unfinished = join(folder, `.${name}.${process.pid}`)
    try {
      await pipeline(await this.#parquet(hour), createWriteStream(unfinished))
      const sha256 = await hashOf(unfinished)
      await rename(unfinished, path)
      this.#hashes.set(path, sha256)
      await this.#makeRoom(path)
      return { path, name, byteCount: (await stat(path)).size, sha256 }
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  #pathOf(name: string): string {
    return join(this.#options.folder, name.replace(/\.parquet$/, `.columns-${COLUMNS}.parquet`))
  }

  async #parquet(hour: ExportedHour): Promise<Readable> {
    const { sql, params } = hourQueryOf(hour)
    const { stream } = await this.#options.clickhouse.exec({
      query: `${sql} FORMAT Parquet`,
      query_params: { ...params },
      clickhouse_settings: SAME_BYTES,
    })
    return stream
  }

  /** A file that is being read stays readable after it is unlinked. */
  async #makeRoom(justMade: string): Promise<void> {
    const { folder, maxBytes } = this.#options
    const paths = (await readdir(folder))
      .filter((name) => HOUR_FILE_ON_DISK.test(name))
      .map((name) => join(folder, name))
    const files = await Promise.all(paths.map(async (path) => ({ path, ...(await sizeAndAge(path)) })))
    let total = files.reduce((sum, { size }) => sum + size, 0)
    for (const { path, size } of files.toSorted((one, other) => one.usedAtMs - other.usedAtMs)) {
      if (total <= maxBytes) return
      if (path === justMade) continue
      await rm(path, { force: true })
      this.#hashes.delete(path)
      total -= size
    }
  }
}

async function sizeAndAge(path: string): Promise<{ size: number; usedAtMs: number }> {
  const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }))
  return { size, usedAtMs: mtimeMs }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

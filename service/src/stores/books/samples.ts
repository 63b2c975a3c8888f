import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../engines/postgres-database.ts'

export const MAX_SAMPLES = 3
/** Strangers read them, so PostgreSQL is asked rarely. */
const FRESH_MS = 10_000

/** A finished hour that everybody may look at. */
export interface Sample {
  readonly id: string
  readonly madeAtMs: number
  /** As it was described when it was made. */
  readonly facts: unknown
  /** Hex. */
  readonly sha256: string
}

export interface NewSample {
  readonly id: string
  readonly facts: Readonly<Record<string, unknown>>
  /** JSON of the list of snapshots. */
  readonly snapshots: string
  /** Heat map of the hour, for both sides. */
  readonly tiles: readonly unknown[]
  readonly parquet: Buffer
}

export interface SamplesOptions {
  readonly database: Database
  /** For copies of the files; created if it does not exist. */
  readonly folder: string
}

/** Public samples. Their bytes are in PostgreSQL, so every node has the same. */
export class Samples {
  readonly #options: SamplesOptions
  readonly #snapshots = new LRUCache<string, { value: unknown }>({ max: MAX_SAMPLES })
  readonly #tiles = new LRUCache<string, readonly unknown[]>({ max: MAX_SAMPLES })
  #list: { readonly samples: readonly Sample[]; readonly readAtMs: number } | undefined
  #reading: Promise<readonly Sample[]> | undefined
  /** Copies that are being made, by hash. */
  readonly #copying = new Map<string, Promise<string | undefined>>()

  constructor(options: SamplesOptions) {
    this.#options = options
  }

  /** Newest first; ten seconds old at most. */
  async list(nowMs: number): Promise<readonly Sample[]> {
    if (this.#list !== undefined && nowMs - this.#list.readAtMs < FRESH_MS) return this.#list.samples
    this.#reading ??= this.#read(nowMs).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async find(id: string, nowMs: number): Promise<Sample | undefined> {
    return (await this.list(nowMs)).find((sample) => sample.id === id)
  }

  /** The list of snapshots, as JSON has it. */
  async snapshotsOf({ id, sha256 }: Sample): Promise<unknown> {
    const known = this.#snapshots.get(sha256)
    if (known !== undefined) return known.value
    const { rows } = await sql<{ snapshots: string }>`SELECT snapshots FROM samples WHERE id = ${id}`.execute(
      this.#options.database,
    )
    const value: unknown = JSON.parse(rows[0]?.snapshots ?? '[]')
    this.#snapshots.set(sha256, { value })
    return value
  }

  /** Tiles of the heat map; none when an earlier version has made the sample. */
  async tilesOf({ id, madeAtMs }: Sample): Promise<readonly unknown[]> {
    // A sample that was made again may have the same file and other tiles.
    const key = `${id} ${madeAtMs}`
    const known = this.#tiles.get(key)
    if (known !== undefined) return known
    const { rows } = await sql<{ tiles: unknown[] | null }>`
      SELECT facts -> 'tiles' AS tiles FROM samples WHERE id = ${id}
    `.execute(this.#options.database)
    const tiles = rows[0]?.tiles ?? []
    this.#tiles.set(key, tiles)
    return tiles
  }

  /** Path of the Parquet file on this node. Undefined when the sample was removed meanwhile. */
  fileOf(sample: Sample): Promise<string | undefined> {
    const { sha256 } = sample
    const copying = this.#copying.get(sha256) ?? this.#copied(sample).finally(() => this.#copying.delete(sha256))
    this.#copying.set(sha256, copying)
    return copying
  }

  async #copied({ id, sha256 }: Sample): Promise<string | undefined> {
    const { folder, database } = this.#options
    const path = join(folder, `sample-${sha256}.parquet`)
    if (await exists(path)) return path
    const { rows } = await sql<{ parquet: Buffer }>`SELECT parquet FROM samples WHERE id = ${id}`.execute(database)
    const [row] = rows
    if (row === undefined) return undefined
    await mkdir(folder, { recursive: true })
    // Another process may copy the same file into a shared folder.
    const unfinished = `${path}.${randomUUID()}`
    try {
      await writeFile(unfinished, row.parquet)
      await rename(unfinished, path)
    } finally {
      await rm(unfinished, { force: true })
    }
    return path
  }

  /** Replaces a sample with the same id. False when there are as many others as allowed. */
  async add({ id, facts, snapshots, tiles, parquet }: NewSample): Promise<boolean> {
    const { numAffectedRows = 0n } = await sql`
      INSERT INTO samples (id, facts, snapshots, parquet)
      SELECT ${id}, ${JSON.stringify({ ...facts, tiles })}::jsonb, ${snapshots}, ${parquet}
      WHERE (SELECT count(*) FROM samples WHERE id <> ${id}) < ${MAX_SAMPLES}
      ON CONFLICT (id) DO UPDATE SET facts = excluded.facts, snapshots = excluded.snapshots,
        parquet = excluded.parquet, made_at = now()
    `.execute(this.#options.database)
    return numAffectedRows > 0n
  }

  /** False when there is none with this id. */
  async remove(id: string): Promise<boolean> {
    const { numAffectedRows = 0n } = await sql`DELETE FROM samples WHERE id = ${id}`.execute(this.#options.database)
    return numAffectedRows > 0n
  }

  async #read(nowMs: number): Promise<readonly Sample[]> {
    const { rows } = await sql<{ id: string; made_at: Date; facts: unknown; sha256: string }>`
      SELECT id, made_at, facts - 'tiles' AS facts, encode(sha256(parquet), 'hex') AS sha256 FROM samples ORDER BY made_at DESC, id
    `.execute(this.#options.database)
    const samples = rows.map(({ id, made_at: madeAt, facts, sha256 }) => ({
      id,
      madeAtMs: madeAt.getTime(),
      facts,
      sha256,
    }))
    this.#list = { samples, readAtMs: nowMs }
    return samples
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

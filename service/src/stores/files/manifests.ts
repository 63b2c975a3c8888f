import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import { fileText, type Manifest, manifestHash, manifestText, NO_ENTRY } from '../../domain/manifest.ts'
import { leafHash, type MerkleTree, merkleTree, pathFrom, rootOf } from '../../domain/merkle.ts'
import type { Database, ManifestRow } from '../engines/postgres-database.ts'
import { forCaller } from '../engines/waiting-caller.ts'

/** Signs entries. */
export interface Signer {
  readonly keyId: string
  /** Base64url of its 32 bytes. */
  readonly publicKey: string
  /** Base64url. */
  sign(text: string): string
}

export interface ManifestKey {
  readonly id: string
  readonly publicKey: string
}

/** Shows that a file belongs to an entry. */
export interface InclusionProof {
  readonly manifest: Manifest
  readonly leafIndex: number
  /** Hex. */
  readonly path: readonly string[]
}

/** A tree of 20,000 files has about 3 MB. */
const MOST_TREES = 16

/** The chain of signed entries. */
export class Manifests {
  readonly #database: Database
  readonly #trees = new LRUCache<number, Promise<MerkleTree>>({ max: MOST_TREES })

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Hours that have ended and have files without an entry, the oldest first. Hours are signed in order, so only files
   * of about the last signed hour and later can lack one; the rest of the table is not read.
   */
  async dueHours(nowMs: number): Promise<number[]> {
    const { rows } = await sql<{ hour_at: Date }>`
      SELECT DISTINCT date_trunc('hour', made_at, 'UTC') AS hour_at FROM files
      WHERE made_at < ${new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS)}
        AND made_at >= coalesce((SELECT hour_at FROM manifests ORDER BY number DESC LIMIT 1), '-infinity') - interval '1 day'
        AND NOT EXISTS (SELECT FROM manifest_files WHERE file_id = files.id)
      ORDER BY hour_at`.execute(this.#database)
    return rows.map(({ hour_at }) => hour_at.getTime())
  }

  /** Adds the entry of an hour. A second process that tries the same at once is refused by the database. */
  seal(hourMs: number, signer: Signer): Promise<Manifest> {
    return this.#database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('manifest_keys')
        .values({ id: signer.keyId, public_key: signer.publicKey })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const last = await transaction.selectFrom('manifests').selectAll().orderBy('number', 'desc').limit(1).execute()
      const files = await transaction
        .selectFrom('files')
        .select(['id', 'sha256', 'byte_count', 'row_count'])
        .where('made_at', '>=', new Date(hourMs))
        .where('made_at', '<', new Date(hourMs + HOUR_MS))
        .where(sql<boolean>`NOT EXISTS (SELECT FROM manifest_files WHERE file_id = files.id)`)
        .orderBy(sql`id COLLATE "C"`)
        .execute()
      const leaves = files.map(({ id, sha256, byte_count: bytes, row_count: rows }) =>
        leafHash(fileText({ id, sha256, bytes: Number(bytes), rows: Number(rows) })),
      )
      const entry = {
        number: (last[0]?.number ?? 0) + 1,
        hourMs,
        files: files.length,
        root: rootOf(merkleTree(leaves)).toString('hex'),
        previous: last[0]?.hash ?? NO_ENTRY,
      }
      const row = await transaction
        .insertInto('manifests')
        .values({
          number: entry.number,
          hour_at: new Date(hourMs),
          file_count: entry.files,
          root: entry.root,
          previous: entry.previous,
          hash: manifestHash(entry),
          key_id: signer.keyId,
          signature: signer.sign(manifestText(entry)),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await sql`
        INSERT INTO manifest_files (file_id, number, leaf_index, leaf)
        SELECT id, ${entry.number}, place - 1, leaf
        FROM unnest(${files.map(({ id }) => id)}::text[], ${leaves.map((leaf) => leaf.toString('hex'))}::text[])
          WITH ORDINALITY AS made (id, leaf, place)`.execute(transaction)
      return manifestOf(row)
    })
  }

  /** The oldest first. */
  async list({ after, limit }: { readonly after: number; readonly limit: number }): Promise<Manifest[]> {
    const rows = await this.#database
      .selectFrom('manifests')
      .selectAll()
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute()
    return rows.map(manifestOf)
  }

  async keys(): Promise<ManifestKey[]> {
    const rows = await this.#database.selectFrom('manifest_keys').selectAll().orderBy('first_used_at').execute()
    return rows.map(({ id, public_key }) => ({ id, publicKey: public_key }))
  }

  /** Undefined while the hour in which the file was made has no entry. */
  async proofOf(fileId: string): Promise<InclusionProof | undefined> {
    const found = await this.#database
      .selectFrom('manifest_files')
      .innerJoin('manifests', 'manifests.number', 'manifest_files.number')
      .selectAll('manifests')
      .select('leaf_index')
      .where('file_id', '=', fileId)
      .executeTakeFirst()
    if (found === undefined) return undefined
    const tree = await this.#treeOf(found.number)
    const path = pathFrom(tree, found.leaf_index).map((hash) => hash.toString('hex'))
    return { manifest: manifestOf(found), leafIndex: found.leaf_index, path }
  }

  #treeOf(number: number): Promise<MerkleTree> {
    const known = this.#trees.get(number)
    if (known !== undefined) return known
    const tree = forCaller({ signal: undefined }, () => this.#readTree(number))
    this.#trees.set(number, tree)
    tree.catch(() => this.#trees.delete(number))
    return tree
  }

  async #readTree(number: number): Promise<MerkleTree> {
    const rows = await this.#database
      .selectFrom('manifest_files')
      .select('leaf')
      .where('number', '=', number)
      .orderBy('leaf_index')
      .execute()
    return merkleTree(rows.map(({ leaf }) => Buffer.from(leaf, 'hex')))
  }
}

function manifestOf(row: ManifestRow): Manifest {
  return {
    number: row.number,
    hourMs: row.hour_at.getTime(),
    files: row.file_count,
    root: row.root,
    previous: row.previous,
    hash: row.hash,
    keyId: row.key_id,
    signature: row.signature,
    sealedAtMs: row.sealed_at.getTime(),
  }
}

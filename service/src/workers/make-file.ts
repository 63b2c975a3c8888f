import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dayAvailableAtMs, type FileSubject, fileIdOf, HOLES_FILL_WITHIN_MS } from '../domain/day-file.ts'
import type { Proof } from '../domain/proof.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { ClickHouseReads } from '../stores/engines/clickhouse-reader.ts'
import { accountForDay, type DayAccount } from '../stores/files/day-accounts.ts'
import { dayParquet } from '../stores/files/day-parquet.ts'
import { type Files, type NewFile, objectKeyOf } from '../stores/files/files.ts'

export interface FileMaker {
  readonly clickhouse: ClickHouseReads
  readonly files: Pick<Files, 'add' | 'correctionsOf'>
  readonly objects: Pick<ObjectStore, 'head' | 'putFile'>
  /** For the file that is being written. */
  readonly folder: string
  readonly proofOf: (venue: string) => Proof
  readonly nowMs: () => number
}

/** Why a file can't be made yet. */
export type Postponed = 'being_corrected' | 'not_stored_yet' | 'rows_changed'

export interface FileOrder {
  readonly subject: FileSubject
  readonly dayMs: number
  readonly revision: number
}

/**
 * Makes one revision of a file. The object is stored first and its entry afterwards, so that an entry always has its
 * object; a repetition after a crash stores the same bytes under the same key.
 */
export async function makeFile(
  maker: FileMaker,
  { subject, dayMs, revision }: FileOrder,
  signal: AbortSignal,
): Promise<NewFile | Postponed> {
  const { clickhouse, files, objects } = maker
  const before = await files.correctionsOf(subject, dayMs)
  if (before.isRunning) return 'being_corrected'
  const account = await accountForDay(clickhouse, subject.markets, dayMs, signal)
  const mayFill = maker.nowMs() - dayAvailableAtMs(dayMs) < HOLES_FILL_WITHIN_MS
  if (account.unaccountedSlots > 0 && mayFill) return 'not_stored_yet'

  const path = join(maker.folder, `${fileIdOf(subject.name, dayMs, revision)}.parquet`)
  try {
    const written = await writeRows(maker, { subject, dayMs, account, path }, signal)
    // Rows that changed while the file was written would be in it in part.
    const [after, recount] = await Promise.all([
      files.correctionsOf(subject, dayMs),
      accountForDay(clickhouse, subject.markets, dayMs, signal),
    ])
    if (after.isRunning || after.finished !== before.finished) return 'being_corrected'
    if (JSON.stringify(recount) !== JSON.stringify(account)) return 'rows_changed'

    const { rows, firstAtMs, lastAtMs, gaps } = account
    const { name, markets, kind, venue, category, coin, timeframe } = subject
    const file: NewFile = {
      ...{ subject: name, kind, dayMs, revision, venue, category, coin, timeframe },
      ...{ rows, firstAtMs, lastAtMs, gaps, ...written },
      marketIds: markets.map(({ marketId }) => marketId),
      corrections: before.finished,
    }
    const key = objectKeyOf(file)
    if ((await objects.head(key))?.bytes !== written.bytes) await objects.putFile(key, path)
    await files.add(file)
    return file
  } finally {
    await rm(path, { force: true })
  }
}

interface Writing {
  readonly subject: FileSubject
  readonly dayMs: number
  readonly account: DayAccount
  readonly path: string
}

async function writeRows(
  { clickhouse, proofOf }: FileMaker,
  { subject: { markets, venue }, dayMs, account, path }: Writing,
  signal: AbortSignal,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const { suspect } = account
  const rows = await dayParquet(clickhouse, { markets, dayMs, proof: proofOf(venue), suspect }, signal)
  const hash = createHash('sha256')
  let bytes = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.byteLength
      done(null, chunk)
    },
  })
  await pipeline(rows, measure, createWriteStream(path), { signal })
  return { sha256: hash.digest('hex'), bytes }
}

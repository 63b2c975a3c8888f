import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dayAvailableAtMs, fileIdOf, HOLES_FILL_WITHIN_MS } from '../domain/day-file.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { ClickHouseReads } from '../stores/engines/clickhouse-reader.ts'
import type { FileSubject } from '../stores/files/file-subject.ts'
import { type Files, type NewFile, objectKeyOf } from '../stores/files/files.ts'

export interface FileMaker {
  readonly clickhouse: ClickHouseReads
  readonly files: Pick<Files, 'add' | 'correctionsOf'>
  readonly objects: Pick<ObjectStore, 'head' | 'putFile'>
  /** For the file that is being written. */
  readonly folder: string
  readonly nowMs: () => number
}

/** Why a file can't be made yet. */
export type Postponed = 'being_corrected' | 'not_stored_yet' | 'rows_changed'

export interface FileOrder {
  readonly subject: FileSubject
  readonly revision: number
}

/**
 * Makes one revision of a file. The object is stored first and its entry afterwards, so that an entry always has its
 * object; a repetition after a crash stores the same bytes under the same key.
 */
export async function makeFile(
  maker: FileMaker,
  { subject, revision }: FileOrder,
  signal: AbortSignal,
): Promise<NewFile | Postponed> {
  const { clickhouse, files, objects } = maker
  const { dayMs } = subject
  const before = await files.correctionsOf(subject, dayMs)
  if (before.isRunning) return 'being_corrected'
  const account = await subject.account(clickhouse, signal)
  const mayFill = maker.nowMs() - dayAvailableAtMs(dayMs) < HOLES_FILL_WITHIN_MS
  if (!account.isComplete && mayFill) return 'not_stored_yet'

  await mkdir(maker.folder, { recursive: true })
  const path = join(maker.folder, `${fileIdOf(subject.name, dayMs, revision)}.parquet`)
  try {
    const written = await writeRows(clickhouse, subject, path, signal)
    // Rows that changed while the file was written would be in it in part.
    const [after, recount] = await Promise.all([
      files.correctionsOf(subject, dayMs),
      subject.account(clickhouse, signal),
    ])
    if (after.isRunning || after.finished !== before.finished) return 'being_corrected'
    if (JSON.stringify(recount) !== JSON.stringify(account)) return 'rows_changed'

    const { rows, firstAtMs, lastAtMs, gaps } = account
    const { name, kind, venue, category, coin, timeframe, marketIds } = subject
    const file: NewFile = {
      ...{ subject: name, kind, dayMs, revision, venue, category, coin, timeframe, marketIds },
      ...{ rows, firstAtMs, lastAtMs, gaps, ...written },
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

async function writeRows(
  clickhouse: ClickHouseReads,
  subject: FileSubject,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const rows = await subject.parquet(clickhouse, signal)
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

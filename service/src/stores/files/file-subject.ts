import type { Readable } from 'node:stream'
import type { FileFacts, GapCount } from '../../domain/day-file.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import type { FileContents } from './files.ts'

/** What the rows of a file are now. */
export interface DayAccount {
  readonly rows: number
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** Whether every row has arrived that can be expected. */
  readonly isComplete: boolean
  readonly gaps: readonly GapCount[]
}

/** What one file of a day contains; every kind has its own queries. */
export interface FileSubject extends FileFacts {
  readonly dayMs: number
  readonly account: (client: ClickHouseReads, signal: AbortSignal) => Promise<DayAccount>
  /** The same rows always give the same bytes. */
  readonly parquet: (client: ClickHouseReads, signal: AbortSignal) => Promise<Readable>
  /** Whether a file that was made has all rows that are stored now. */
  readonly isIn: (made: FileContents, client: ClickHouseReads, signal: AbortSignal) => Promise<boolean>
}

export interface DaySubjects {
  readonly subjects: readonly FileSubject[]
  /** Markets that have rows, but whose listing is not stored yet. */
  readonly unlisted: readonly string[]
}

/** Finds what there is to write of some kinds. */
export interface FileSource {
  /** Days before the given one that have rows, in any order. */
  readonly daysBefore: (dayMs: number) => Promise<number[]>
  /** Nothing when rows of the day are no longer kept. */
  readonly subjectsOf: (dayMs: number) => Promise<DaySubjects>
}

/** Counting distinct rows is work, so it is done only when the stored rows, repeats included, are not as many. */
export async function hasRows(
  { account }: Pick<FileSubject, 'account'>,
  storedRows: number,
  made: FileContents,
  client: ClickHouseReads,
  signal: AbortSignal,
): Promise<boolean> {
  return storedRows === made.rows || (await account(client, signal)).rows === made.rows
}

export function hasMarkets({ marketIds }: Pick<FileSubject, 'marketIds'>, made: FileContents): boolean {
  const ids = new Set(made.marketIds)
  return ids.size === marketIds.length && marketIds.every((id) => ids.has(id))
}

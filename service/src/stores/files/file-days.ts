import { DAY_MS } from '../../domain/day-file.ts'
import type { Proof } from '../../domain/proof.ts'
import { type KeptTable, StoredSince } from '../books/stored-since.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { KeptAnswers } from '../platform/kept-answers.ts'
import { bookFiles } from './book-files.ts'
import { dayMarketStore } from './day-markets.ts'
import type { DaySubjects, FileSource } from './file-subject.ts'
import { daysOfGapsKnownSince, marketGapFiles, perpGapFiles } from './gap-files.ts'
import { SERIES_TABLES, seriesFiles } from './series-files.ts'
import { tradeFiles } from './trade-files.ts'

const LATE_FRESH_FOR_MS = 1_800_000

/** What there is to write as files, of every kind. */
export interface FileDays {
  /** Starts of all days before this time, the oldest first, from the first one with rows on. */
  daysBefore(beforeMs: number): Promise<number[]>
  /** By kind; files of gaps come last. */
  subjectsOf(dayMs: number): Promise<DaySubjects>
  /** Days that a gap record touches which was found at this time or later. */
  daysOfGapsKnownSince(sinceMs: number): Promise<number[]>
}

interface KeptSource extends FileSource {
  /** The tables that its files are made of. A day is left out when rows of it are no longer kept. */
  readonly tables: readonly KeptTable[]
}

export interface FileDaysOptions {
  readonly proofOf: (venue: string) => Proof
  readonly nowMs: () => number
}

export function fileDays(client: ClickHouseReads, { proofOf, nowMs }: FileDaysOptions): FileDays {
  const dayMarkets = dayMarketStore(client)
  const storedSince = new StoredSince(client)
  const late = new KeptAnswers<number[]>({ freshForMs: LATE_FRESH_FOR_MS, most: 1 })
  const sources: readonly KeptSource[] = [
    { tables: ['snapshots'], ...bookFiles(dayMarkets, proofOf) },
    { tables: ['trades'], ...tradeFiles(client, dayMarkets) },
    ...SERIES_TABLES.map((of): KeptSource => ({ tables: [of.table], ...seriesFiles(client, of, proofOf) })),
    { tables: ['gaps', 'snapshots'], ...marketGapFiles(client, dayMarkets) },
    { tables: ['gaps', 'perp_snapshots'], ...perpGapFiles(client) },
  ]
  const keptSince = async ({ tables }: KeptSource): Promise<number> =>
    Math.max(...(await Promise.all(tables.map((table) => storedSince.of(table, nowMs())))))

  return {
    async daysBefore(beforeMs) {
      const found = await Promise.all(
        sources.map(async (source) => {
          const sinceMs = await keptSince(source)
          return (await source.daysBefore(beforeMs)).filter((dayMs) => dayMs >= sinceMs)
        }),
      )
      return daysBetween(found.flat())
    },

    async subjectsOf(dayMs) {
      const found = await Promise.all(
        sources.map(async (source): Promise<DaySubjects> => {
          const isKept = dayMs >= (await keptSince(source))
          return isKept ? source.subjectsOf(dayMs) : { subjects: [], unlisted: [] }
        }),
      )
      return {
        subjects: found.flatMap(({ subjects }) => subjects),
        unlisted: [...new Set(found.flatMap(({ unlisted }) => unlisted))],
      }
    },

    // It reads the whole table of gaps.
    daysOfGapsKnownSince: (sinceMs) => late.get('', nowMs(), () => daysOfGapsKnownSince(client, sinceMs)),
  }
}

/** From the first to the last of them: nothing may have been recorded on a day between. */
function daysBetween(days: readonly number[]): number[] {
  if (days.length === 0) return []
  const first = days.reduce((least, dayMs) => Math.min(least, dayMs))
  const last = days.reduce((most, dayMs) => Math.max(most, dayMs))
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, index) => first + index * DAY_MS)
}

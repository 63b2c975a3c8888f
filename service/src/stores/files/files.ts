import { type ExpressionBuilder, sql } from 'kysely'
import {
  DAY_MS,
  dayText,
  type FileFacts,
  type FileKind,
  fileIdOf,
  type GapCount,
  KINDS_VERSION,
} from '../../domain/day-file.ts'
import type { Database, FileRow, Tables } from '../engines/postgres-database.ts'

/** One revision of the file of a day; it never changes. */
export interface NewFile extends Omit<FileFacts, 'name'> {
  readonly subject: string
  readonly dayMs: number
  readonly revision: number
  /** Finished corrections that its rows include. */
  readonly corrections: number
  readonly rows: number
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  readonly firstAtMs: number
  readonly lastAtMs: number
  readonly gaps: readonly GapCount[]
}

export interface StoredFile extends Omit<NewFile, 'marketIds'> {
  readonly id: string
  readonly madeAtMs: number
  /** How many markets are in it; the file of gaps of a day may have thousands. */
  readonly markets: number
  /** Undefined for a file without markets. */
  readonly firstMarketId: string | undefined
}

export interface CorrectionState {
  readonly finished: number
  readonly isRunning: boolean
}

export interface FilePage {
  /** Undefined for every kind. */
  readonly kinds?: readonly FileKind[] | undefined
  readonly venue?: string | undefined
  readonly coin?: string | undefined
  readonly timeframe?: string | undefined
  readonly marketId?: string | undefined
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Only the newest revision of each file. */
  readonly isNewestOnly: boolean
  /** Only entries before this one. */
  readonly before?: { readonly dayMs: number; readonly id: string } | undefined
  readonly limit: number
}

/** The hash in the key: another content never replaces an object that has an entry. */
export function objectKeyOf({ subject, dayMs, sha256 }: Pick<StoredFile, 'subject' | 'dayMs' | 'sha256'>): string {
  return `files/${dayText(dayMs)}/${subject}/${sha256}.parquet`
}

export interface FileContents {
  readonly revision: number
  readonly rows: number
  readonly marketIds: readonly string[]
  readonly gaps: readonly GapCount[]
}

/** The entries of all files that were made. */
export class Files {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** False when the revision exists already. */
  async add(file: NewFile): Promise<boolean> {
    const row = await this.#database
      .insertInto('files')
      .values({
        id: fileIdOf(file.subject, file.dayMs, file.revision),
        subject: file.subject,
        kind: file.kind,
        day_at: new Date(file.dayMs),
        revision: file.revision,
        venue: file.venue,
        category: file.category,
        coin: file.coin,
        timeframe: file.timeframe,
        market_ids: [...file.marketIds],
        corrections: file.corrections,
        row_count: file.rows,
        byte_count: file.bytes,
        sha256: file.sha256,
        first_at: new Date(file.firstAtMs),
        last_at: new Date(file.lastAtMs),
        gaps: JSON.stringify(file.gaps),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row !== undefined
  }

  async find(id: string): Promise<StoredFile | undefined> {
    const row = await this.#entries().where('id', '=', id).executeTakeFirst()
    return row && storedFileOf(row)
  }

  /** The newest revision of each file of a day, by subject. */
  async newestOf(dayMs: number): Promise<Map<string, number>> {
    const rows = await this.#database
      .selectFrom('files')
      .select(({ fn }) => ['subject', fn.max('revision').as('revision')])
      .where('day_at', '=', new Date(dayMs))
      .groupBy('subject')
      .execute()
    return new Map(rows.map(({ subject, revision }) => [subject, revision]))
  }

  /** Rows, markets and gaps of the newest revision of each file of a day, by subject. */
  async contentsOf(dayMs: number): Promise<Map<string, FileContents>> {
    const rows = await this.#database
      .selectFrom('files')
      .select(['subject', 'revision', 'row_count', 'market_ids', 'gaps'])
      .where('day_at', '=', new Date(dayMs))
      .orderBy('revision')
      .execute()
    return new Map(
      rows.map(({ subject, revision, row_count, market_ids, gaps }) => [
        subject,
        { revision, rows: Number(row_count), marketIds: market_ids, gaps },
      ]),
    )
  }

  /** Days with the files of all kinds that this version knows. */
  async finishedDays(): Promise<Set<number>> {
    const rows = await this.#database
      .selectFrom('file_days')
      .select('day_at')
      .where('kinds', '>=', KINDS_VERSION)
      .execute()
    return new Set(rows.map(({ day_at }) => day_at.getTime()))
  }

  async finishDay(dayMs: number): Promise<void> {
    await this.#database
      .insertInto('file_days')
      .values({ day_at: new Date(dayMs), kinds: KINDS_VERSION })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** Corrections of hours of the day. */
  async correctionsOf({ marketIds }: Pick<FileFacts, 'marketIds'>, dayMs: number): Promise<CorrectionState> {
    const rows = await this.#database
      .selectFrom('corrections')
      .select('corrected_at')
      .where(sql<boolean>`market_id = ANY (${[...marketIds]}::text[])`)
      .where('hour_at', '>=', new Date(dayMs))
      .where('hour_at', '<', new Date(dayMs + DAY_MS))
      .execute()
    const finished = rows.filter(({ corrected_at }) => corrected_at !== null).length
    return { finished, isRunning: finished < rows.length }
  }

  /** Days with files that do not include every finished correction of their rows, with the subjects of these files. */
  async outdated(): Promise<Map<number, string[]>> {
    const { rows } = await sql<{ day_at: Date; subject: string }>`
      SELECT files.day_at, files.subject
      FROM corrections
      JOIN files ON files.day_at = date_trunc('day', hour_at, 'UTC') AND files.market_ids @> ARRAY[corrections.market_id]
      WHERE corrected_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM files AS newer
        WHERE newer.subject = files.subject AND newer.day_at = files.day_at AND newer.revision > files.revision
      )
      GROUP BY files.id, files.day_at, files.subject, files.corrections
      HAVING count(*) > files.corrections
      ORDER BY files.day_at, files.subject`.execute(this.#database)
    const days = Map.groupBy(rows, ({ day_at }) => day_at.getTime())
    return new Map([...days].map(([dayMs, files]) => [dayMs, files.map(({ subject }) => subject)]))
  }

  /** The newest day first. */
  async list(page: FilePage): Promise<StoredFile[]> {
    let query = this.#entries().orderBy('day_at', 'desc').orderBy('id', 'desc').limit(page.limit)
    if (page.kinds !== undefined) query = query.where('kind', 'in', page.kinds)
    if (page.venue !== undefined) query = query.where('venue', '=', page.venue)
    if (page.coin !== undefined) query = query.where('coin', '=', page.coin)
    if (page.timeframe !== undefined) query = query.where('timeframe', '=', page.timeframe)
    if (page.marketId !== undefined) query = query.where(sql<boolean>`market_ids @> ${[page.marketId]}::text[]`)
    if (page.fromMs !== undefined) query = query.where('day_at', '>=', new Date(page.fromMs))
    if (page.toMs !== undefined) query = query.where('day_at', '<', new Date(page.toMs))
    if (page.isNewestOnly) query = query.where(isNewest)
    if (page.before !== undefined)
      query = query.where(sql<boolean>`(day_at, id) < (${new Date(page.before.dayMs)}, ${page.before.id})`)
    return (await query.execute()).map(storedFileOf)
  }

  #entries() {
    return this.#database
      .selectFrom('files')
      .select(ENTRY_COLUMNS)
      .select([
        sql<number>`cardinality(market_ids)`.as('markets'),
        sql<string | null>`market_ids[1]`.as('first_market_id'),
      ])
  }
}

const ENTRY_COLUMNS = [
  'id',
  'subject',
  'kind',
  'day_at',
  'revision',
  'venue',
  'category',
  'coin',
  'timeframe',
  'corrections',
  'row_count',
  'byte_count',
  'sha256',
  'first_at',
  'last_at',
  'gaps',
  'made_at',
] as const satisfies readonly (keyof FileRow)[]
type EntryRow = Pick<FileRow, (typeof ENTRY_COLUMNS)[number]> & {
  readonly markets: number
  readonly first_market_id: string | null
}

function isNewest(expression: ExpressionBuilder<Tables, 'files'>) {
  const newer = expression
    .selectFrom('files as newer')
    .select('newer.id')
    .whereRef('newer.subject', '=', 'files.subject')
    .whereRef('newer.day_at', '=', 'files.day_at')
    .whereRef('newer.revision', '>', 'files.revision')
  return expression.not(expression.exists(newer))
}

function storedFileOf(row: EntryRow): StoredFile {
  return {
    id: row.id,
    subject: row.subject,
    kind: row.kind,
    dayMs: row.day_at.getTime(),
    revision: row.revision,
    venue: row.venue,
    category: row.category,
    coin: row.coin,
    timeframe: row.timeframe,
    markets: row.markets,
    firstMarketId: row.first_market_id ?? undefined,
    corrections: row.corrections,
    rows: Number(row.row_count),
    bytes: Number(row.byte_count),
    sha256: row.sha256,
    firstAtMs: row.first_at.getTime(),
    lastAtMs: row.last_at.getTime(),
    gaps: row.gaps,
    madeAtMs: row.made_at.getTime(),
  }
}

import type { FileKind } from '../../domain/day-file.ts'
import type { Proof } from '../../domain/proof.ts'
import { PERP_MEMBERS } from '../books/exported-hour.ts'
import { readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { countByCause } from './day-accounts.ts'
import { dayParams, dayParquet, inDay } from './day-parquet.ts'
import { daysWithRows } from './days-with-rows.ts'
import type { DayAccount, FileSource, FileSubject } from './file-subject.ts'
import { hasRows } from './file-subject.ts'
import { perpDayOf } from './perp-day.ts'
import { CONTEXT_MEMBERS, PERP_TRADE_MEMBERS, PRICE_MEMBERS } from './series-members.ts'

/** One coin at one place: a perp, or the prices of a source. */
interface Series {
  readonly venue: string
  readonly coin: string
}

/** A table that has rows of several series, each by time. */
interface SeriesTable {
  readonly kind: FileKind
  readonly table: 'perp_snapshots' | 'perp_trades' | 'perp_contexts' | 'prices'
  /** The columns that name the series; the table is sorted by them first. */
  readonly names: readonly [venue: string, coin: string]
  readonly time: string
  /** What makes a row of a series distinct; the table is sorted by it after the series. */
  readonly key: string
  /** Which of several rows with one key counts. */
  readonly latest?: string
  readonly members: string
  /** End of the name of the file. */
  readonly suffix: string
  readonly stateOf: (client: ClickHouseReads, series: Series, dayMs: number, signal: AbortSignal) => Promise<DayState>
}

type DayState = Pick<DayAccount, 'isComplete' | 'gaps'>

const PERP = { names: ['venue', 'symbol'], stateOf: perpState } as const

export const SERIES_TABLES: readonly SeriesTable[] = [
  {
    ...PERP,
    kind: 'perp_books',
    suffix: 'perp-books',
    table: 'perp_snapshots',
    time: 'slot_at',
    key: 'slot',
    members: PERP_MEMBERS,
  },
  {
    ...PERP,
    kind: 'perp_trades',
    suffix: 'perp-trades',
    table: 'perp_trades',
    time: 'traded_at',
    key: 'traded_at, trade_id',
    members: PERP_TRADE_MEMBERS,
  },
  {
    ...PERP,
    kind: 'perp_contexts',
    suffix: 'perp-contexts',
    table: 'perp_contexts',
    time: 'received_at',
    key: 'received_at',
    members: CONTEXT_MEMBERS,
  },
  {
    names: ['source', 'coin'],
    stateOf: priceState,
    kind: 'prices',
    suffix: 'prices',
    table: 'prices',
    time: 'price_at',
    key: 'price_at',
    latest: 'received_at DESC',
    members: PRICE_MEMBERS,
  },
]

/** The rows of one table, a file for each series, by time. */
export function seriesFiles(client: ClickHouseReads, of: SeriesTable, proofOf: (venue: string) => Proof): FileSource {
  const { table, names, time } = of
  return {
    daysBefore: (dayMs) => daysWithRows(client, of, dayMs),
    async subjectsOf(dayMs) {
      const found = await readRows(
        client,
        (reader) => ({ venue: reader.string(), coin: reader.string(), storedRows: reader.uint64() }),
        {
          sql: `SELECT ${names.map((name) => `toString(${name}) AS ${name}_text`).join(', ')}, count() FROM ${table}
            WHERE ${inDay(time)} GROUP BY 1, 2 ORDER BY 1, 2`,
          params: dayParams(dayMs),
        },
      )
      const subjects = found.map(({ storedRows, ...series }) => subjectOf(of, series, dayMs, { storedRows, proofOf }))
      return { subjects, unlisted: [] }
    },
  }
}

function subjectOf(
  of: SeriesTable,
  series: Series,
  dayMs: number,
  { storedRows, proofOf }: { readonly storedRows: number; readonly proofOf: (venue: string) => Proof },
): FileSubject {
  const { venue, coin } = series
  const { table, names, time, key, latest, members } = of
  const isOfSeries = `${names[0]} = {venue:String} AND ${names[1]} = {coin:String} AND ${inDay(time)}`
  const params = { venue, coin, ...dayParams(dayMs) }
  const order = [...names, key, ...(latest === undefined ? [] : [latest])].join(', ')
  const sql = `SELECT ${members} FROM (
      SELECT * FROM ${table} WHERE ${isOfSeries} ORDER BY ${order} LIMIT 1 BY ${key}
    ) AS stored`
  const subject: FileSubject = {
    name: `${venue}-${coin.toLowerCase()}-${of.suffix}`,
    kind: of.kind,
    venue,
    category: 'crypto',
    coin,
    timeframe: '',
    marketIds: [],
    dayMs,
    async account(client, signal) {
      const [[counted], state] = await Promise.all([
        readRows(
          client,
          (reader) => ({ rows: reader.uint64(), firstAtMs: reader.uint64(), lastAtMs: reader.uint64() }),
          {
            sql: `SELECT uniqExact(${key}), ${millis(`min(${time})`)}, ${millis(`max(${time})`)} FROM ${table} WHERE ${isOfSeries}`,
            params,
            signal,
          },
        ),
        of.stateOf(client, series, dayMs, signal),
      ])
      return { ...(counted ?? { rows: 0, firstAtMs: dayMs, lastAtMs: dayMs }), ...state }
    },
    parquet: (client, signal) => dayParquet(client, { sql, params: { ...params, proof: proofOf(venue) } }, signal),
    isIn: (made, client, signal) => hasRows(subject, storedRows, made, client, signal),
  }
  return subject
}

function millis(time: string): string {
  return `toUInt64(toUnixTimestamp64Milli(${time}))`
}

/** Trades and contexts come over the same recorder as the books, and like the rows of these some of them may be late. */
async function perpState(
  client: ClickHouseReads,
  { venue, coin }: Series,
  dayMs: number,
  signal: AbortSignal,
): Promise<DayState> {
  const { isComplete, gaps, tradeGaps } = await perpDayOf(client, { venue, symbol: coin }, dayMs, signal)
  return { isComplete, gaps: countByCause([...gaps, ...tradeGaps]) }
}

/** Prices have no slots. They are stored in order, so when a later one is there, all of the day are. */
async function priceState(
  client: ClickHouseReads,
  { venue, coin }: Series,
  dayMs: number,
  signal: AbortSignal,
): Promise<DayState> {
  const { toMs } = dayParams(dayMs)
  const later = await readRows(client, (reader) => reader.uint8(), {
    sql: `SELECT toUInt8(1) FROM prices
      WHERE source = {venue:String} AND coin = {coin:String} AND price_at >= fromUnixTimestamp64Milli({toMs:Int64}, 'UTC') LIMIT 1`,
    params: { venue, coin, toMs },
    signal,
  })
  return { isComplete: later.length > 0, gaps: [] }
}

import type { RowReader } from '../../domain/rows/row-binary.ts'
import { readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { KeptAnswers } from '../platform/kept-answers.ts'
import type { RecordedSpan } from './recorded-spans.ts'

/** What lists of markets are filtered by; texts are empty when only rows of a market are known. */
export interface MarketSeries {
  readonly venue: string
  readonly category: string
  readonly subcategory: string
  readonly timeframe: string
}

/** What a list shows of the listing of a market. */
export interface ListedFacts extends MarketSeries {
  readonly slug: string
  readonly question: string
  /** 0 when only rows of the market are known. */
  readonly endsAtMs: number
}

export type PastMarket = RecordedSpan & ListedFacts

export interface PastTotal {
  readonly markets: number
  readonly rows: number
}

export interface PastCount extends MarketSeries, PastTotal {
  readonly isComplete: boolean
}

/** The past markets as of one moment. */
export interface Past {
  /** Their last rows are before this time, and not before the other one. */
  readonly toMs: number
  readonly fromMs: number
  /** Changes with them. */
  readonly version: string
  readonly counts: readonly PastCount[]
}

export interface PastChoice {
  /** Default: all. */
  readonly series?: readonly MarketSeries[] | undefined
  /** Recorded at this time or later. */
  readonly sinceMs?: number | undefined
  readonly isComplete?: boolean | undefined
  /** In small letters; each begins a word of the question, slug or subcategory. */
  readonly words?: readonly string[] | undefined
}

export interface PastPosition {
  readonly firstSeenMs: number
  readonly marketId: string
}

const DAY_MS = 86_400_000
/** Of a market whose first slot is at the time 0. */
export const LAST_PLACE = 253_402_300_799_999
const COUNTED_FOR_MS = 30_000
const MAX_COUNTED = 500
/** Without them ClickHouse reads far more than the page. */
const IN_ORDER = { read_in_order_use_buffering: 0, max_block_size: 1_024 } as const

/** Rows that hold: a deleted one is written once more, with the same key. */
export const pastRowsSql = (columns: string, condition: string) => `
  SELECT ${columns} FROM (
    SELECT * FROM past_markets WHERE ${condition}
    ORDER BY place, market_id, content, written_at DESC LIMIT 1 BY place, market_id, content
  ) WHERE is_deleted = 0`

export const PAST_COLUMNS = `market_id, interval_ms, first_slot, last_slot, row_count, toString(venue), toString(category),
  toString(subcategory), toString(timeframe), slug, question, toUInt64(toUnixTimestamp64Milli(ends_at))`

const NEWEST_STATE = '(SELECT * FROM past_state ORDER BY changed_at DESC LIMIT 1)'

/** Markets that are no longer recorded, as the role `catalogue` lists them in ClickHouse. */
export class PastMarkets {
  readonly #client: ClickHouseReads
  readonly #totals = new KeptAnswers<PastTotal>({ freshForMs: COUNTED_FOR_MS, most: MAX_COUNTED })
  #newest: Past | undefined

  constructor(client: ClickHouseReads) {
    this.#client = client
  }

  /** Undefined while none is listed there. */
  async read(): Promise<Past | undefined> {
    const readState = (reader: RowReader) => ({
      toMs: reader.uint16() * DAY_MS,
      fromMs: reader.uint16() * DAY_MS,
      version: reader.string(),
    })
    const [state] = await readRows(this.#client, readState, {
      sql: `SELECT kept_to, kept_from, toString(changed_at) FROM ${NEWEST_STATE}`,
      params: {},
    })
    if (state === undefined || state.version === this.#newest?.version) return this.#newest
    const counts = await readRows(this.#client, readCount, {
      sql: `SELECT each.1, each.2, each.3, each.4, each.5, each.6, each.7 FROM past_state ARRAY JOIN counts AS each
        WHERE toString(changed_at) = {version:String}`,
      params: { version: state.version },
    })
    this.#newest = { ...state, counts }
    return this.#newest
  }

  /** Newest first, ties by id. */
  page(past: Past, choice: PastChoice, after: PastPosition | undefined, limit: number): Promise<PastMarket[]> {
    const { conditions, params } = conditionsOf(past, choice)
    const behind = after === undefined ? [] : [BEHIND]
    const position = after && { place: LAST_PLACE - after.firstSeenMs, id: after.marketId.slice(2) }
    return readRows(this.#client, readPastMarket, {
      sql: `${pastRowsSql(PAST_COLUMNS, [...behind, ...conditions].join(' AND '))} LIMIT {limit:UInt32}`,
      params: { ...params, ...position, limit },
      settings: IN_ORDER,
    })
  }

  /** Words and times are counted at most once in 30 s; everything else is counted already. */
  async total(past: Past, choice: PastChoice, nowMs: number): Promise<PastTotal> {
    if (choice.sinceMs === undefined && choice.words === undefined) return this.counted(past, choice)
    return this.#totals.get(`${past.version} ${JSON.stringify(choice)}`, nowMs, async () => {
      const { conditions, params } = conditionsOf(past, choice)
      const [total] = await readRows(this.#client, readTotal, {
        sql: `SELECT count(), sum(row_count) FROM (${pastRowsSql('row_count', conditions.join(' AND '))})`,
        params,
      })
      return total ?? { markets: 0, rows: 0 }
    })
  }

  counted({ counts }: Past, { series, isComplete }: PastChoice): PastTotal {
    const wanted = series && new Set(series.map(nameOf))
    const chosen = counts.filter(
      (each) => (each.isComplete || !isComplete) && (wanted === undefined || wanted.has(nameOf(each))),
    )
    return {
      markets: chosen.reduce((sum, { markets }) => sum + markets, 0),
      rows: chosen.reduce((sum, { rows }) => sum + rows, 0),
    }
  }
}

const BEHIND = 'place >= {place:UInt64} AND (place > {place:UInt64} OR market_id > unhex({id:String}))'

function conditionsOf(
  { fromMs, toMs }: Past,
  { series, sinceMs = fromMs, isComplete, words = [] }: PastChoice,
): { conditions: string[]; params: Record<string, unknown> } {
  return {
    conditions: [
      "last_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')",
      "last_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')",
      ...(series ? ['series IN {series:Array(String)}'] : []),
      ...(isComplete ? ['is_complete = 1'] : []),
      ...words.flatMap((_, at) => [`words LIKE {word${at}:String}`, `match(words, {begin${at}:String})`]),
    ],
    params: {
      to: toMs,
      from: Math.max(fromMs, sinceMs),
      ...(series && { series: [...new Set(series.map(nameOf))] }),
      ...Object.fromEntries(
        words.flatMap((word, at) => [
          [`word${at}`, `%${word}%`],
          [`begin${at}`, beginOf(word)],
        ]),
      ),
    },
  }
}

/** As in the column `series`. */
function nameOf({ venue, category, subcategory, timeframe }: MarketSeries): string {
  return `${venue}/${category}/${subcategory}/${timeframe}`
}

/** A word has no punctuation, so only symbols have a meaning in the pattern. */
function beginOf(word: string): string {
  return `(^|[^\\p{L}\\p{N}])${word.replaceAll(/[$^+|]/g, '\\$&')}`
}

/** With its members in the order of the columns. */
export function pastMarketOf(span: RecordedSpan, facts: ListedFacts | undefined): PastMarket {
  const { marketId, intervalMs, firstSlot, lastSlot, rowCount } = span
  const { venue, category, subcategory, timeframe, slug, question, endsAtMs } = facts ?? UNLISTED
  return {
    ...{ marketId, intervalMs, firstSlot, lastSlot, rowCount },
    ...{ venue, category, subcategory, timeframe, slug, question, endsAtMs },
  }
}

const UNLISTED = { venue: '', category: '', subcategory: '', timeframe: '', slug: '', question: '', endsAtMs: 0 }

export function readPastMarket(reader: RowReader): PastMarket {
  return {
    marketId: reader.hexBytes(32),
    intervalMs: reader.uint32(),
    firstSlot: reader.uint64(),
    lastSlot: reader.uint64(),
    rowCount: reader.uint64(),
    venue: reader.string(),
    category: reader.string(),
    subcategory: reader.string(),
    timeframe: reader.string(),
    slug: reader.string(),
    question: reader.string(),
    endsAtMs: reader.uint64(),
  }
}

function readTotal(reader: RowReader): PastTotal {
  return { markets: reader.uint64(), rows: reader.uint64() }
}

function readCount(reader: RowReader): PastCount {
  return {
    venue: reader.string(),
    category: reader.string(),
    subcategory: reader.string(),
    timeframe: reader.string(),
    isComplete: reader.uint8() === 1,
    ...readTotal(reader),
  }
}

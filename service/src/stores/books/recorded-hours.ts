import { HOUR_MS } from '../../domain/finished-hour.ts'
import type { HourOfMarket } from '../../domain/market-hours.ts'
import { GAP_COLUMNS, type Gap, isRowGap, readGap } from '../../domain/rows/gap.ts'
import type { RowReader } from '../../domain/rows/row-binary.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, IN_MARKETS, marketParam, readRows } from './read-rows.ts'
import { IS_KEPT_DAY } from './stored-since.ts'

export interface MarketKind {
  readonly marketId: string
  readonly venue: string
  readonly category: string
}

/** All that is recorded in a time, without the rows themselves. */
export interface RecordedHours {
  readonly hours: readonly HourOfMarket[]
  readonly gaps: readonly Gap[]
  readonly kinds: readonly MarketKind[]
}

/** Which markets; without one, all of them. */
export type MarketChoice =
  | { readonly by: 'ids'; readonly marketIds: readonly string[] }
  | {
      readonly by: 'listing'
      readonly category: string
      readonly venue?: string | undefined
      readonly coin?: string | undefined
      readonly timeframe?: string | undefined
    }

export interface HoursRequest extends TimeRange {
  readonly choice?: MarketChoice
}

const DAY_MS = 24 * HOUR_MS
const OF_DAYS = 'day >= toDate({fromDay:UInt16}) AND day < toDate({toDay:UInt16})'
/** Perps have gap records under ids of their own. */
const GAPS_OF_DAYS = `from_at < ${atParam('toMs')} AND (to_slot + 1) * interval_ms > {fromMs:Int64}
  AND NOT startsWith(market_id, 'perp:')`

const START = 'toUInt64(toUInt16(day)) * 86400000'
/** The first slot at or after a time. */
const slotNumber = (time: string) => `intDiv(${time} + interval_ms - 1, interval_ms)`
/** Slots of a day are numbered within the day. */
const slotAt = (time: string) => `toUInt32(${slotNumber(time)} - ${slotNumber(START)})`

const hoursSql = (chosen: string) => `
  SELECT market_id, interval_ms, ${START} + hour * ${HOUR_MS}, toUInt64(bitmapCardinality(slots)),
    toUInt64(bitmapMin(slots)), toUInt64(bitmapMax(slots))
  FROM (
    SELECT market_id, interval_ms, day, hour, bitmapSubsetInRange(day_slots,
      ${slotAt(`greatest(${START} + hour * ${HOUR_MS}, {fromMs:UInt64})`)},
      ${slotAt(`least(${START} + (hour + 1) * ${HOUR_MS}, {toMs:UInt64})`)}) AS slots
    FROM (
      SELECT market_id, interval_ms, day, groupBitmapMergeState(market_days.day_slots) AS day_slots
      FROM market_days WHERE ${OF_DAYS} AND ${IS_KEPT_DAY} AND ${chosen}
      GROUP BY market_id, interval_ms, day
    )
    ARRAY JOIN range(24) AS hour
    WHERE ${START} + hour * ${HOUR_MS} < {toMs:UInt64} AND ${START} + (hour + 1) * ${HOUR_MS} > {fromMs:UInt64}
  )
  WHERE bitmapCardinality(slots) > 0`

const gapsSql = (chosen: string) => `
  SELECT ${columnList(GAP_COLUMNS)} FROM gaps WHERE ${GAPS_OF_DAYS} AND ${chosen}
  ORDER BY market_id, interval_ms, from_slot, cause, kind, to_slot DESC
  LIMIT 1 BY market_id, interval_ms, from_slot, cause, kind`

const KINDS = `
  SELECT market_id, toString(venue), toString(category) FROM market_facts FINAL
  WHERE market_id IN (SELECT market_id FROM market_days WHERE ${OF_DAYS})
    OR market_id IN (SELECT market_id FROM gaps WHERE ${GAPS_OF_DAYS})`

/** Counts of rows by hour, and gaps. */
export function recordedHourStore(client: ClickHouseReads) {
  const hoursOf = async (request: HoursRequest, signal?: AbortSignal): Promise<Omit<RecordedHours, 'kinds'>> => {
    const { chosen, params } = chosenBy(request)
    const given = { params, ...(signal && { signal }) }
    const hours = await readRows(client, readHour, { sql: hoursSql(chosen), ...given })
    const gaps = await readRows(client, readGap, { sql: gapsSql(chosen), ...given })
    return { hours, gaps: gaps.filter(isRowGap) }
  }
  return {
    hoursOf,

    /** Of all markets. */
    async read(range: TimeRange): Promise<RecordedHours> {
      const { params } = chosenBy(range)
      const kinds = await readRows(
        client,
        (reader) => ({ marketId: reader.hexBytes(32), venue: reader.string(), category: reader.string() }),
        { sql: KINDS, params },
      )
      return { ...(await hoursOf(range)), kinds }
    },

    /** Markets of the choice that have rows in the days of the range. */
    async countMarkets(request: HoursRequest): Promise<number> {
      const { chosen, params } = chosenBy(request)
      const [count = 0] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT toUInt64(uniqExact(market_id)) FROM market_days WHERE ${OF_DAYS} AND ${chosen}`,
        params,
      })
      return count
    },

    /** Undefined when nothing is recorded. */
    async oldestDayMs(): Promise<number | undefined> {
      const [day] = await readRows(client, (reader) => reader.uint16(), {
        sql: `SELECT toUInt16(min(day)) FROM market_days WHERE ${IS_KEPT_DAY} HAVING count() > 0`,
        params: {},
      })
      return day === undefined ? undefined : day * DAY_MS
    },
  }
}

export type RecordedHourStore = ReturnType<typeof recordedHourStore>

function readHour(reader: RowReader): HourOfMarket {
  const [marketId, intervalMs, hourMs] = [reader.hexBytes(32), reader.uint32(), reader.uint64()]
  const firstOfDay = Math.ceil((Math.floor(hourMs / DAY_MS) * DAY_MS) / intervalMs)
  const [stored, first, last] = [reader.uint64(), reader.uint64(), reader.uint64()]
  return { marketId, intervalMs, hourMs, stored, firstSlot: firstOfDay + first, lastSlot: firstOfDay + last }
}

/** An empty parameter does not choose. */
const LISTED = `market_id IN (
  SELECT market_id FROM market_facts
  WHERE category = {category:String} AND ({venue:String} = '' OR venue = {venue:String})
    AND ({coin:String} = '' OR subcategory = {coin:String}) AND ({timeframe:String} = '' OR timeframe = {timeframe:String})
)`

function chosenBy({ fromMs, toMs, choice }: HoursRequest): { chosen: string; params: Record<string, unknown> } {
  const time = { fromMs, toMs, fromDay: Math.floor(fromMs / DAY_MS), toDay: Math.ceil(toMs / DAY_MS) }
  if (choice === undefined) return { chosen: '1', params: time }
  if (choice.by === 'ids') {
    return { chosen: IN_MARKETS, params: { ...time, markets: choice.marketIds.map(marketParam) } }
  }
  const { category, venue = '', coin = '', timeframe = '' } = choice
  return { chosen: LISTED, params: { ...time, category, venue, coin, timeframe } }
}

import { PRICE_ONE } from '../../domain/book.ts'
import type { RowReader } from '../../domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { readRows } from './read-rows.ts'
import { marketTimeParams, OF_MARKET, type SampledMarket } from './slot-sql.ts'
import { TOKEN_COLUMNS } from './token-rows-sql.ts'

/** Least, most and mean of a figure, in the units of rows. */
export interface Range {
  readonly min: number
  readonly max: number
  readonly mean: number
}

export interface SideSummary {
  readonly meanBid: number
  readonly meanAsk: number
  readonly maxBid: number
  readonly minAsk: number
}

/** Figures over rows of a market; prices in units of 0.0001, sizes of 0.000001, spot of 0.00000001. */
export interface MarketSummary {
  readonly rowCount: number
  readonly firstCapturedAtMs: number
  readonly lastCapturedAtMs: number
  /** Rows in which the proof of the venue holds for both books. */
  readonly provedCount: number
  readonly crossedCount: number
  /** Of the first token. Twice the mid, so that it is whole. */
  readonly twiceMid: Range
  readonly spread: Range
  readonly meanBidDepth: number
  readonly meanAskDepth: number
  /** Undefined where no row has one. */
  readonly spot: Range | undefined
  readonly up: SideSummary
  readonly down: SideSummary
}

const [UP, DOWN] = TOKEN_COLUMNS
const { crossed, hasSpot, verifiedDown, verifiedUp } = SNAPSHOT_FLAGS
const isSet = (flag: number) => `bitAnd(row_flags, ${flag}) = ${flag}`
const mean = (figure: string) => `toUInt64(round(ifNotFinite(avg(${figure}), 0)))`

/** A negative spread does not fit an unsigned column, so spreads are sent with 1 added. */
const FIGURES = `
  SELECT slot, flags AS row_flags, spot_price AS row_spot, toUInt64(toUnixTimestamp64Milli(captured_at)) AS captured_ms,
    ${UP.bestBid} AS up_bid, ${UP.bestAsk} AS up_ask, ${DOWN.bestBid} AS down_bid, ${DOWN.bestAsk} AS down_ask,
    arraySum(${UP.bidSizes}) AS up_bid_depth, arraySum(${UP.askSizes}) AS up_ask_depth
  FROM snapshots WHERE ${OF_MARKET}
  ORDER BY slot LIMIT 1 BY slot`

const SPREAD = `toUInt64(${PRICE_ONE} + up_ask - up_bid)`
const SUMMARY = `
  SELECT count(), min(captured_ms), max(captured_ms),
    countIf(${isSet(verifiedUp | verifiedDown)}), countIf(${isSet(crossed)}),
    toUInt64(min(up_bid + up_ask)), toUInt64(max(up_bid + up_ask)), toUInt64(sum(up_bid + up_ask)),
    min(${SPREAD}), max(${SPREAD}), sum(${SPREAD}),
    ${mean('up_bid_depth')}, ${mean('up_ask_depth')},
    countIf(${isSet(hasSpot)}), minIf(row_spot, ${isSet(hasSpot)}), maxIf(row_spot, ${isSet(hasSpot)}),
    toUInt64(round(ifNotFinite(avgIf(row_spot, ${isSet(hasSpot)}), 0))),
    ${['up', 'down']
      .map(
        (side) =>
          `toUInt64(sum(${side}_bid)), toUInt64(sum(${side}_ask)), toUInt64(max(${side}_bid)), toUInt64(min(${side}_ask))`,
      )
      .join(', ')}
  FROM (${FIGURES})`

export function marketSummaryStore(client: ClickHouseReads) {
  return {
    /** Each slot counts once; undefined when the range has no row. */
    async over(range: SampledMarket & TimeRange, signal?: AbortSignal): Promise<MarketSummary | undefined> {
      const [summary] = await readRows(client, readSummary, {
        sql: SUMMARY,
        params: marketTimeParams(range),
        ...(signal && { signal }),
      })
      return summary === undefined || summary.rowCount === 0 ? undefined : summary
    },
  }
}

export type MarketSummaryStore = ReturnType<typeof marketSummaryStore>

function readSummary(reader: RowReader): MarketSummary {
  const next = (): number => reader.uint64()
  const rowCount = next()
  const sideOf = (): SideSummary => ({
    meanBid: next() / rowCount,
    meanAsk: next() / rowCount,
    maxBid: next(),
    minAsk: next(),
  })
  return {
    rowCount,
    firstCapturedAtMs: next(),
    lastCapturedAtMs: next(),
    provedCount: next(),
    crossedCount: next(),
    twiceMid: { min: next(), max: next(), mean: next() / rowCount },
    spread: { min: next() - PRICE_ONE, max: next() - PRICE_ONE, mean: next() / rowCount - PRICE_ONE },
    meanBidDepth: next(),
    meanAskDepth: next(),
    spot: spotOf(next(), { min: next(), max: next(), mean: next() }),
    up: sideOf(),
    down: sideOf(),
  }
}

function spotOf(spotCount: number, range: Range): Range | undefined {
  return spotCount === 0 ? undefined : range
}

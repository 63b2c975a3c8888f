import { PRICE_ONE } from '../../domain/book.ts'
import type { RowReader } from '../../domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, MARKET_PARAM, marketParam, readRows } from './read-rows.ts'
import type { Span } from './snapshots.ts'

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
  readonly verifiedCount: number
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

const { crossed, hasSpot, mirrored, verifiedDown, verifiedUp } = SNAPSHOT_FLAGS
const isSet = (flag: number) => `bitAnd(row_flags, ${flag}) = ${flag}`
const mean = (figure: string) => `toUInt64(round(ifNotFinite(avg(${figure}), 0)))`

/** A spread below zero would need a sign: it travels with one added. An empty side counts as everywhere, 0 and 1. */
const FIGURES = `
  SELECT slot, flags AS row_flags, spot_price AS row_spot, toUInt64(toUnixTimestamp64Milli(captured_at)) AS captured_ms,
    toInt64(up_bid_prices[1]) AS up_bid,
    if(empty(up_ask_prices), ${PRICE_ONE}, toInt64(up_ask_prices[1])) AS up_ask,
    arraySum(up_bid_sizes) AS up_bid_depth,
    arraySum(up_ask_sizes) AS up_ask_depth,
    bitAnd(flags, ${mirrored}) != 0 AS is_mirrored,
    if(is_mirrored, ${PRICE_ONE} - up_ask, toInt64(down_bid_prices[1])) AS down_bid,
    multiIf(is_mirrored, ${PRICE_ONE} - up_bid, empty(down_ask_prices), ${PRICE_ONE}, toInt64(down_ask_prices[1])) AS down_ask
  FROM snapshots
  WHERE market_id = ${MARKET_PARAM}
    AND slot >= {fromSlot:UInt64} AND slot < {toSlot:UInt64}
    AND slot_at >= ${atParam('fromMs')} AND slot_at < ${atParam('toMs')}
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
    /** Over each slot of the span once; undefined where it has no row. */
    async over({ marketId, intervalMs, fromMs, toMs }: Span, signal?: AbortSignal): Promise<MarketSummary | undefined> {
      const [fromSlot, toSlot] = [Math.ceil(fromMs / intervalMs), Math.ceil(toMs / intervalMs)]
      const [summary] = await readRows(client, readSummary, {
        sql: SUMMARY,
        params: { market: marketParam(marketId), fromSlot, toSlot, fromMs, toMs },
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
    verifiedCount: next(),
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

import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE, SPOT_ONE } from '../../domain/decimal.ts'
import { SNAPSHOT_COLUMNS } from '../../domain/rows/snapshot.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { columnList } from './read-rows.ts'
import { marketTimeParams, OF_MARKET, type SampledMarket, WHOLE_RESULT } from './slot-sql.ts'
import { hasFlag, TOKEN_COLUMNS } from './token-rows-sql.ts'

/** Consecutive bars of one token; bar n starts at n times its length since the Unix epoch. */
export interface BarRequest extends SampledMarket {
  readonly outcome: 0 | 1
  readonly barMs: number
  readonly firstBar: number
  /** Not included. */
  readonly endBar: number
  /** Slots outside of it are not expected. */
  readonly recorded: TimeRange
}

const figure = z.number().nullable()

/** A bar without a single row has nulls. */
const BarRow = z.object({
  start_ms: z.coerce.number(),
  open: figure,
  high: figure,
  low: figure,
  close: figure,
  last_spread: figure,
  avg_spread: figure,
  avg_depth5_bid: figure,
  avg_depth5_ask: figure,
  avg_bid_depth: figure,
  avg_ask_depth: figure,
  spot_open: figure,
  spot_high: figure,
  spot_low: figure,
  spot_close: figure,
  snapshot_count: z.coerce.number(),
  expected_count: z.coerce.number(),
})
export type BarRow = z.infer<typeof BarRow>

const START = "fromUnixTimestamp64Milli(toInt64(bar * {barMs:UInt64}), 'UTC') AS start"
/** The slots of a bar from `fromSlot` to `toSlot`, which are the slots recorded in the bars of the request. */
const FIRST_SLOT = 'greatest(toInt64({fromSlot:UInt64}), toInt64(ceil(bar * {barMs:UInt64} / {intervalMs:UInt64})))'
const END_SLOT = 'least(toInt64({toSlot:UInt64}) + 1, toInt64(ceil((bar + 1) * {barMs:UInt64} / {intervalMs:UInt64})))'

export function barStore(client: ClickHouseReads) {
  return {
    /** Every bar of the request, by time, also those without rows. */
    async range(request: BarRequest, signal?: AbortSignal): Promise<BarRow[]> {
      const { stream } = await client.exec({
        query: `${barsSql(request.outcome, 'bar * {barMs:UInt64} AS start_ms')} FORMAT JSONEachRow`,
        query_params: paramsOf(request),
        clickhouse_settings: WHOLE_RESULT,
        ...(signal && { abort_signal: signal }),
      })
      const lines = (await text(stream)).split('\n')
      return lines.filter((line) => line !== '').map((line) => BarRow.parse(JSON.parse(line)))
    },

    /** The same as a Parquet file that ClickHouse writes. */
    async parquet(request: BarRequest, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
      const { stream } = await client.exec({
        query: `${barsSql(request.outcome, START)} FORMAT Parquet`,
        query_params: paramsOf(request),
        clickhouse_settings: WHOLE_RESULT,
        ...(signal && { abort_signal: signal }),
      })
      return stream
    },
  }
}

export type BarStore = ReturnType<typeof barStore>

function paramsOf({ marketId, intervalMs, barMs, firstBar, endBar, recorded }: BarRequest): Record<string, unknown> {
  const fromMs = Math.max(firstBar * barMs, recorded.fromMs)
  const toMs = Math.min(endBar * barMs, recorded.toMs)
  return { ...marketTimeParams({ marketId, intervalMs, fromMs, toMs }), intervalMs, barMs, firstBar, endBar }
}

/** From the inside: one row per slot, one row per bar, and the bars without rows; only the outer SELECT divides units. */
function barsSql(outcome: 0 | 1, start: string): string {
  const token = TOKEN_COLUMNS[outcome]
  const hasSpot = hasFlag('hasSpot')
  return `
    SELECT ${start},
      open_mid / ${2 * PRICE_ONE} AS open, high_mid / ${2 * PRICE_ONE} AS high,
      low_mid / ${2 * PRICE_ONE} AS low, close_mid / ${2 * PRICE_ONE} AS close,
      last_spread_units / ${PRICE_ONE} AS last_spread, mean_spread / ${PRICE_ONE} AS avg_spread,
      bid_depth5 / ${SIZE_ONE} AS avg_depth5_bid, ask_depth5 / ${SIZE_ONE} AS avg_depth5_ask,
      bid_depth / ${SIZE_ONE} AS avg_bid_depth, ask_depth / ${SIZE_ONE} AS avg_ask_depth,
      first_spot / ${SPOT_ONE} AS spot_open, high_spot / ${SPOT_ONE} AS spot_high,
      low_spot / ${SPOT_ONE} AS spot_low, last_spot / ${SPOT_ONE} AS spot_close,
      row_count AS snapshot_count,
      toUInt64(greatest(0, ${END_SLOT} - ${FIRST_SLOT})) AS expected_count
    FROM (
      SELECT bar,
        toNullable(argMin(mid2, slot)) AS open_mid, toNullable(max(mid2)) AS high_mid,
        toNullable(min(mid2)) AS low_mid, toNullable(argMax(mid2, slot)) AS close_mid,
        toNullable(argMax(spread, slot)) AS last_spread_units, toNullable(avg(spread)) AS mean_spread,
        toNullable(avg(top_bids)) AS bid_depth5, toNullable(avg(top_asks)) AS ask_depth5,
        toNullable(avg(all_bids)) AS bid_depth, toNullable(avg(all_asks)) AS ask_depth,
        argMinOrNullIf(spot_price, slot, has_spot) AS first_spot, maxOrNullIf(spot_price, has_spot) AS high_spot,
        minOrNullIf(spot_price, has_spot) AS low_spot, argMaxOrNullIf(spot_price, slot, has_spot) AS last_spot,
        count() AS row_count
      FROM (
        SELECT slot, intDiv(slot * {intervalMs:UInt64}, {barMs:UInt64}) AS bar, spot_price, ${hasSpot} AS has_spot,
          ${token.bestBid} AS bid, ${token.bestAsk} AS ask, bid + ask AS mid2, ask - bid AS spread,
          arraySum(${token.bidSizes}) AS all_bids, arraySum(${token.askSizes}) AS all_asks,
          arraySum(arraySlice(${token.bidSizes}, 1, 5)) AS top_bids,
          arraySum(arraySlice(${token.askSizes}, 1, 5)) AS top_asks
        FROM (SELECT ${columnList(SNAPSHOT_COLUMNS)} FROM snapshots WHERE ${OF_MARKET} ORDER BY slot LIMIT 1 BY slot)
      )
      GROUP BY bar
      ORDER BY bar WITH FILL FROM {firstBar:UInt64} TO {endBar:UInt64}
    )
    ORDER BY bar`
}

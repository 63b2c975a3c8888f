import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { SNAPSHOT_COLUMNS } from '../../domain/rows/snapshot.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { columnList } from './read-rows.ts'
import { IN_SPAN, spanParams } from './snapshots.ts'
import { hasFlag, type TokenSide, tokenColumns } from './token-columns.ts'

/** Bars of one token, one after another; bar n begins at n times its length since the Unix epoch. */
export interface BarRequest {
  readonly marketId: string
  readonly intervalMs: number
  readonly side: TokenSide
  readonly barMs: number
  readonly firstBar: number
  /** Not included. */
  readonly endBar: number
  /** What was recorded: slots outside of it are not expected. */
  readonly life: { readonly fromMs: number; readonly toMs: number }
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
  avg_bid_depth5: figure,
  avg_ask_depth5: figure,
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

/** An error in the middle of an answer would look like its end. */
const SETTINGS = { wait_end_of_query: 1, optimize_skip_unused_shards: 1 } as const

const START = "fromUnixTimestamp64Milli(toInt64(bar * {barMs:UInt64}), 'UTC') AS start"
/** The slots of a bar that lie in the recorded span, whose ends `fromSlot` and `toSlot` are. */
const FIRST_SLOT = 'greatest(toInt64({fromSlot:UInt64}), toInt64(ceil(bar * {barMs:UInt64} / {intervalMs:UInt64})))'
const END_SLOT = 'least(toInt64({toSlot:UInt64}), toInt64(ceil((bar + 1) * {barMs:UInt64} / {intervalMs:UInt64})))'

export function barStore(client: ClickHouseReads) {
  return {
    /** Every bar of the request, by time, also those without rows. */
    async range(request: BarRequest, signal?: AbortSignal): Promise<BarRow[]> {
      const { stream } = await client.exec({
        query: `${barsSql(request.side, 'bar * {barMs:UInt64} AS start_ms')} FORMAT JSONEachRow`,
        query_params: paramsOf(request),
        clickhouse_settings: SETTINGS,
        ...(signal && { abort_signal: signal }),
      })
      const lines = (await text(stream)).split('\n')
      return lines.filter((line) => line !== '').map((line) => BarRow.parse(JSON.parse(line)))
    },

    /** The same as a Parquet file, from the engine's own hand. */
    async parquet(request: BarRequest, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
      const { stream } = await client.exec({
        query: `${barsSql(request.side, START)} FORMAT Parquet`,
        query_params: paramsOf(request),
        clickhouse_settings: SETTINGS,
        ...(signal && { abort_signal: signal }),
      })
      return stream
    },
  }
}

export type BarStore = ReturnType<typeof barStore>

function paramsOf({ marketId, intervalMs, barMs, firstBar, endBar, life }: BarRequest): Record<string, unknown> {
  const fromMs = Math.max(firstBar * barMs, life.fromMs)
  const toMs = Math.min(endBar * barMs, life.toMs)
  const span = spanParams({ marketId, intervalMs, fromMs, toMs })
  return { ...span, intervalMs, barMs, firstBar, endBar }
}

/** One row a slot, then one a bar, then the bars in between: in units, until the last step makes numbers of them. */
function barsSql(side: TokenSide, start: string): string {
  const token = tokenColumns(side)
  const hasSpot = hasFlag('hasSpot')
  return `
    SELECT ${start},
      open_mid / 20000 AS open, high_mid / 20000 AS high, low_mid / 20000 AS low, close_mid / 20000 AS close,
      last_spread_units / 10000 AS last_spread, mean_spread / 10000 AS avg_spread,
      bid_depth5 / 1e6 AS avg_bid_depth5, ask_depth5 / 1e6 AS avg_ask_depth5,
      bid_depth / 1e6 AS avg_bid_depth, ask_depth / 1e6 AS avg_ask_depth,
      first_spot / 1e8 AS spot_open, high_spot / 1e8 AS spot_high, low_spot / 1e8 AS spot_low, last_spot / 1e8 AS spot_close,
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
        FROM (SELECT ${columnList(SNAPSHOT_COLUMNS)} FROM snapshots WHERE ${IN_SPAN} ORDER BY slot LIMIT 1 BY slot)
      )
      GROUP BY bar
      ORDER BY bar WITH FILL FROM {firstBar:UInt64} TO {endBar:UInt64}
    )
    ORDER BY bar`
}

import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { PERP_DECIMALS, PERP_SNAPSHOT_COLUMNS } from '../../domain/rows/perp-snapshot.ts'
import { slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { columnList } from './read-rows.ts'
import { OF_PERP, type SampledPerp, slotParams, WHOLE_RESULT } from './slot-sql.ts'

/** Consecutive bars of one perp; bar n starts at n times its length since the Unix epoch. */
export interface PerpBarRequest extends SampledPerp {
  readonly barMs: number
  readonly firstBar: number
  /** Not included. */
  readonly endBar: number
  /** Slots outside of it are not expected. */
  readonly recorded: TimeRange
}

const figure = z.number().nullable()

/** A bar without a single row has nulls. */
const PerpBarRow = z.object({
  start_ms: z.coerce.number(),
  open: figure,
  high: figure,
  low: figure,
  close: figure,
  last_spread: figure,
  avg_spread: figure,
  avg_bid_depth: figure,
  avg_ask_depth: figure,
  snapshot_count: z.coerce.number(),
  expected_count: z.coerce.number(),
})
export type PerpBarRow = z.infer<typeof PerpBarRow>

const ONE = 10 ** PERP_DECIMALS
const FIRST_SLOT = 'greatest(toInt64({fromSlot:UInt64}), toInt64(ceil(bar * {barMs:UInt64} / {intervalMs:UInt64})))'
const END_SLOT = 'least(toInt64({toSlot:UInt64}) + 1, toInt64(ceil((bar + 1) * {barMs:UInt64} / {intervalMs:UInt64})))'

/** From the inside: one row per slot, one row per bar, and the bars without rows; only the outer SELECT divides units. */
const BARS = `
  SELECT bar * {barMs:UInt64} AS start_ms,
    open_mid / ${2 * ONE} AS open, high_mid / ${2 * ONE} AS high, low_mid / ${2 * ONE} AS low,
    close_mid / ${2 * ONE} AS close, last_spread_units / ${ONE} AS last_spread, mean_spread / ${ONE} AS avg_spread,
    bid_depth / ${ONE} AS avg_bid_depth, ask_depth / ${ONE} AS avg_ask_depth,
    row_count AS snapshot_count, toUInt64(greatest(0, ${END_SLOT} - ${FIRST_SLOT})) AS expected_count
  FROM (
    SELECT bar,
      argMinOrNullIf(mid2, slot, is_whole) AS open_mid, maxOrNullIf(mid2, is_whole) AS high_mid,
      minOrNullIf(mid2, is_whole) AS low_mid, argMaxOrNullIf(mid2, slot, is_whole) AS close_mid,
      argMaxOrNullIf(spread, slot, is_whole) AS last_spread_units, avgOrNullIf(spread, is_whole) AS mean_spread,
      toNullable(avg(all_bids)) AS bid_depth, toNullable(avg(all_asks)) AS ask_depth, count() AS row_count
    FROM (
      SELECT slot, intDiv(slot * {intervalMs:UInt64}, {barMs:UInt64}) AS bar,
        bid_prices[1] AS bid, ask_prices[1] AS ask, bid + ask AS mid2, toInt64(ask) - toInt64(bid) AS spread,
        bid > 0 AND ask > 0 AS is_whole, arraySum(bid_sizes) AS all_bids, arraySum(ask_sizes) AS all_asks
      FROM (SELECT ${columnList(PERP_SNAPSHOT_COLUMNS)} FROM perp_snapshots WHERE ${OF_PERP} ORDER BY slot LIMIT 1 BY slot)
    )
    GROUP BY bar
    ORDER BY bar WITH FILL FROM {firstBar:UInt64} TO {endBar:UInt64}
  )
  ORDER BY bar FORMAT JSONEachRow`

export function perpBarStore(client: ClickHouseReads) {
  return {
    /** Every bar of the request, by time, also those without rows. */
    async range(request: PerpBarRequest, signal?: AbortSignal): Promise<PerpBarRow[]> {
      const { venue, symbol, intervalMs, barMs, firstBar, endBar, recorded } = request
      const fromMs = Math.max(firstBar * barMs, recorded.fromMs)
      const toMs = Math.min(endBar * barMs, recorded.toMs)
      const slots = slotParams({ intervalMs, ...slotsIn({ fromMs, toMs }, intervalMs) })
      const { stream } = await client.exec({
        query: BARS,
        query_params: { venue, symbol, intervalMs, barMs, firstBar, endBar, ...slots },
        clickhouse_settings: WHOLE_RESULT,
        ...(signal && { abort_signal: signal }),
      })
      const lines = (await text(stream)).split('\n')
      return lines.filter((line) => line !== '').map((line) => PerpBarRow.parse(JSON.parse(line)))
    },
  }
}

export type PerpBarStore = ReturnType<typeof perpBarStore>

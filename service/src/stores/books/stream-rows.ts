import { buffer } from 'node:stream/consumers'
import { GAP_COLUMNS, type Gap, isRowGap, readGap } from '../../domain/rows/gap.ts'
import { SNAPSHOT_COLUMNS } from '../../domain/rows/snapshot.ts'
import { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import { readTrade, TRADE_COLUMNS, type Trade } from '../../domain/rows/trade.ts'
import type { SlotRange } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, IN_MARKETS, marketParam, readRows } from './read-rows.ts'
import { IN_SLOTS, type SampledMarket, slotParams } from './slot-sql.ts'

/** Several markets with the same interval. */
interface SampledMarkets {
  readonly marketIds: readonly string[]
  readonly intervalMs: number
}

/** When trades of several markets were received. */
export type ReceivedRange = Pick<SampledMarkets, 'marketIds'> & TimeRange

const RECEIVED = `${IN_MARKETS} AND traded_at >= ${atParam('earliestMs')} AND traded_at < ${atParam('latestMs')}
  AND received_at >= ${atParam('fromMs')} AND received_at < ${atParam('toMs')}`

/** Rows of many markets at once, for live catch-up and replay. */
export function streamRowStore(client: ClickHouseReads) {
  return {
    /** In no order, and a row may come twice: sorting is cheaper for the caller. */
    async snapshots(range: SampledMarkets & SlotRange): Promise<SnapshotRows> {
      const { stream } = await client.exec({
        query: `SELECT ${columnList(SNAPSHOT_COLUMNS)} FROM snapshots WHERE ${IN_MARKETS} AND ${IN_SLOTS} FORMAT RowBinary`,
        query_params: paramsOf(range),
        clickhouse_settings: { wait_end_of_query: 1 },
      })
      return new SnapshotRows(await buffer(stream))
    },

    /** How many rows the markets have, each in its own slots. */
    async count(markets: readonly (SampledMarket & SlotRange)[]): Promise<number> {
      if (markets.length === 0) return 0
      const [found] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT uniqExact(market_id, slot) FROM snapshots
          INNER JOIN (
            SELECT toFixedString(unhex(own.1), 32) AS market_id, own.2 AS from_slot, own.3 AS to_slot
            FROM (SELECT arrayJoin(arrayZip({markets:Array(String)}, {froms:Array(UInt64)}, {tos:Array(UInt64)})) AS own)
          ) AS wanted USING (market_id)
          WHERE ${IN_MARKETS} AND slot >= from_slot AND slot <= to_slot
            AND slot_at >= ${atParam('fromMs')} AND slot_at <= ${atParam('toMs')}`,
        params: {
          markets: markets.map(({ marketId }) => marketParam(marketId)),
          froms: markets.map(({ fromSlot }) => fromSlot),
          tos: markets.map(({ toSlot }) => toSlot),
          fromMs: Math.min(...markets.map(({ fromSlot, intervalMs }) => fromSlot * intervalMs)),
          toMs: Math.max(...markets.map(({ toSlot, intervalMs }) => toSlot * intervalMs)),
        },
      })
      return found ?? 0
    },

    /** Gaps that touch the slots or became known in them, each with the furthest end that was ever recorded. */
    async gaps(range: SampledMarkets & SlotRange): Promise<Gap[]> {
      const found = await readRows(client, readGap, {
        sql: `SELECT ${columnList(GAP_COLUMNS)} FROM gaps
          WHERE ${IN_MARKETS} AND interval_ms = {intervalMs:UInt32} AND from_at <= ${atParam('toSlotMs')}
            AND (to_slot >= {fromSlot:UInt64} OR known_at_slot >= {fromSlot:UInt64})
          ORDER BY market_id, from_slot, cause, kind, to_slot DESC LIMIT 1 BY market_id, from_slot, cause, kind`,
        params: paramsOf(range),
      })
      return found.filter(isRowGap)
    },

    /** Each once, in the order in which they were received. */
    trades(range: ReceivedRange): Promise<Trade[]> {
      return readRows(client, readTrade, {
        sql: `SELECT ${columnList(TRADE_COLUMNS)} FROM trades
          WHERE ${RECEIVED}
          ORDER BY received_at, market_id, transaction_hash, outcome, is_buy, price, size, occurrence
          LIMIT 1 BY market_id, traded_at, transaction_hash, outcome, is_buy, price, size, occurrence`,
        params: tradeParams(range),
      })
    },

    async countTrades(range: ReceivedRange): Promise<number> {
      const [found] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT count() FROM trades WHERE ${RECEIVED}`,
        params: tradeParams(range),
      })
      return found ?? 0
    },
  }
}

export type StreamRowStore = ReturnType<typeof streamRowStore>

function tradeParams({ marketIds, fromMs, toMs }: ReceivedRange): Record<string, unknown> {
  return {
    markets: marketIds.map(marketParam),
    fromMs,
    toMs,
    earliestMs: Math.max(0, fromMs - CLOCK_MARGIN_MS),
    latestMs: toMs + CLOCK_MARGIN_MS,
  }
}

/** The venue's time of a trade differs from the time of receipt by network delay and clock error. */
const CLOCK_MARGIN_MS = 60_000

function paramsOf({ marketIds, intervalMs, fromSlot, toSlot }: SampledMarkets & SlotRange): Record<string, unknown> {
  return { markets: marketIds.map(marketParam), intervalMs, ...slotParams({ intervalMs, fromSlot, toSlot }) }
}

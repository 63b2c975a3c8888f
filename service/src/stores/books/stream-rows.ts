import { buffer } from 'node:stream/consumers'
import { GAP_COLUMNS, type Gap, readGap } from '../../domain/rows/gap.ts'
import { SNAPSHOT_COLUMNS } from '../../domain/rows/snapshot.ts'
import { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import { readTrade, TRADE_COLUMNS, type Trade } from '../../domain/rows/trade.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, marketParam, readRows } from './read-rows.ts'

/** Slots of many markets of one interval, both ends included. */
export interface ManySlots {
  readonly marketIds: readonly string[]
  readonly intervalMs: number
  readonly fromSlot: number
  readonly toSlot: number
}

/** Slots of one market, both ends included. */
export interface OwnSlots {
  readonly marketId: string
  readonly intervalMs: number
  readonly fromSlot: number
  readonly toSlot: number
}

const ONE_OF = `market_id IN (SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))`
const IN_SLOTS = `${ONE_OF} AND slot >= {fromSlot:UInt64} AND slot <= {toSlot:UInt64}
  AND slot_at >= ${atParam('fromMs')} AND slot_at <= ${atParam('toMs')}`

/** By when trades were received; the end not included. */
export interface TradeSpan {
  readonly marketIds: readonly string[]
  readonly fromMs: number
  readonly toMs: number
}

const RECEIVED = `${ONE_OF} AND traded_at >= ${atParam('earliestMs')} AND traded_at < ${atParam('latestMs')}
  AND received_at >= ${atParam('fromMs')} AND received_at < ${atParam('toMs')}`

/** What a stream of many markets is made from: few questions for many rows, in the engine's own order. */
export function streamRowStore(client: ClickHouseReads) {
  return {
    /** In no order, and a row may come twice: putting them in order is cheaper where they are read. */
    async snapshots(slots: ManySlots): Promise<SnapshotRows> {
      const { stream } = await client.exec({
        query: `SELECT ${columnList(SNAPSHOT_COLUMNS)} FROM snapshots WHERE ${IN_SLOTS} FORMAT RowBinary`,
        query_params: paramsOf(slots),
        clickhouse_settings: { wait_end_of_query: 1 },
      })
      return new SnapshotRows(await buffer(stream))
    },

    /** How many different slots, of each market between its own two. */
    async count(markets: readonly OwnSlots[]): Promise<number> {
      if (markets.length === 0) return 0
      const [found] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT uniqExact(market_id, slot) FROM snapshots
          INNER JOIN (
            SELECT toFixedString(unhex(own.1), 32) AS market_id, own.2 AS from_slot, own.3 AS to_slot
            FROM (SELECT arrayJoin(arrayZip({markets:Array(String)}, {froms:Array(UInt64)}, {tos:Array(UInt64)})) AS own)
          ) AS wanted USING (market_id)
          WHERE ${ONE_OF} AND slot >= from_slot AND slot <= to_slot
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

    /** All that tell of these slots, or were known in them; each with the furthest end that was ever told. */
    gaps(slots: ManySlots): Promise<Gap[]> {
      return readRows(client, readGap, {
        sql: `SELECT ${columnList(GAP_COLUMNS)} FROM gaps
          WHERE ${ONE_OF} AND interval_ms = {intervalMs:UInt32} AND from_at <= ${atParam('toMs')}
            AND (to_slot >= {fromSlot:UInt64} OR known_at_slot >= {fromSlot:UInt64})
          ORDER BY market_id, from_slot, cause, kind, to_slot DESC LIMIT 1 BY market_id, from_slot, cause, kind`,
        params: paramsOf(slots),
      })
    },

    /** By the time at which they were received, from the first to before the last moment; each once. */
    trades(span: TradeSpan): Promise<Trade[]> {
      return readRows(client, readTrade, {
        sql: `SELECT ${columnList(TRADE_COLUMNS)} FROM trades
          WHERE ${RECEIVED}
          ORDER BY received_at, market_id, transaction_hash, outcome, is_buy, price, size
          LIMIT 1 BY market_id, traded_at, transaction_hash, outcome, is_buy, price, size`,
        params: tradeParams(span),
      })
    },

    /** How many of them there are. */
    async countTrades({ marketIds, fromMs, toMs }: TradeSpan): Promise<number> {
      const [found] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT count() FROM trades WHERE ${RECEIVED}`,
        params: tradeParams({ marketIds, fromMs, toMs }),
      })
      return found ?? 0
    },
  }
}

export type StreamRowStore = ReturnType<typeof streamRowStore>

function tradeParams({ marketIds, fromMs, toMs }: TradeSpan): Record<string, unknown> {
  return {
    markets: marketIds.map(marketParam),
    fromMs,
    toMs,
    earliestMs: Math.max(0, fromMs - TOLD_WITHIN_MS),
    latestMs: toMs + TOLD_WITHIN_MS,
  }
}

/** Between the venue's time of a trade and ours lie the network and both clocks. */
const TOLD_WITHIN_MS = 60_000

function paramsOf({ marketIds, intervalMs, fromSlot, toSlot }: ManySlots): Record<string, unknown> {
  return {
    markets: marketIds.map(marketParam),
    intervalMs,
    fromSlot,
    toSlot,
    fromMs: fromSlot * intervalMs,
    toMs: toSlot * intervalMs,
  }
}

import { PERP_CONTEXT_COLUMNS, type PerpContext, readPerpContext } from '../../domain/rows/perp-context.ts'
import { PERP_TRADE_COLUMNS, type PerpTrade, readPerpTrade } from '../../domain/rows/perp-trade.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, readRows } from './read-rows.ts'
import { directionOf, type Order } from './slot-sql.ts'

interface Perp {
  readonly venue: string
  readonly symbol: string
}

export interface TapePage<Position> {
  readonly order: Order
  readonly limit: number
  /** The last row of the previous page. */
  readonly after?: Position | undefined
}

export type TradePosition = Pick<PerpTrade, 'tradedAtMs' | 'tradeId'>
export type ContextPosition = Pick<PerpContext, 'receivedAtMs'>

const TRADE_COLUMNS = columnList(PERP_TRADE_COLUMNS)
const CONTEXT_COLUMNS = columnList(PERP_CONTEXT_COLUMNS)
const DAY_MS = 86_400_000
/** The clock of the venue may be ahead of ours. */
const CLOCK_MARGIN_MS = 60_000
const OF_PERP = 'venue = {venue:String} AND symbol = {symbol:String}'

function within(column: string): string {
  return `${OF_PERP} AND ${column} >= ${atParam('fromMs')} AND ${column} < ${atParam('toMs')}`
}

const RECEIVED_TRADES = `${within('received_at')} AND traded_at >= ${atParam('earliestMs')} AND traded_at < ${atParam('latestMs')}`
const COUNT_TRADES = `SELECT count() FROM perp_trades WHERE ${RECEIVED_TRADES}`
const COUNT_CONTEXTS = `SELECT count() FROM perp_contexts WHERE ${within('received_at')}`

function receivedParams({ venue, symbol, fromMs, toMs }: Perp & TimeRange): Record<string, unknown> {
  return { venue, symbol, fromMs, toMs, earliestMs: Math.max(0, fromMs - DAY_MS), latestMs: toMs + CLOCK_MARGIN_MS }
}

/** Trades and contexts of perps, each once, however often they were inserted. */
export function perpTapeStore(client: ClickHouseReads) {
  return {
    trades(
      { venue, symbol, fromMs, toMs }: Perp & TimeRange,
      { order, limit, after }: TapePage<TradePosition>,
      signal?: AbortSignal,
    ): Promise<PerpTrade[]> {
      const direction = directionOf(order)
      const rest =
        after && `AND (traded_at, trade_id) ${order === 'asc' ? '>' : '<'} (${atParam('afterMs')}, {afterId:UInt64})`
      return readRows(client, readPerpTrade, {
        sql: `SELECT ${TRADE_COLUMNS} FROM perp_trades WHERE ${within('traded_at')} ${rest ?? ''}
          ORDER BY traded_at ${direction}, trade_id ${direction} LIMIT 1 BY traded_at, trade_id LIMIT {limit:UInt32}`,
        params: {
          ...{ venue, symbol, fromMs, toMs, limit },
          ...(after && { afterMs: after.tradedAtMs, afterId: after.tradeId }),
        },
        ...(signal && { signal }),
      })
    },

    contexts(
      { venue, symbol, fromMs, toMs }: Perp & TimeRange,
      { order, limit, after }: TapePage<ContextPosition>,
      signal?: AbortSignal,
    ): Promise<PerpContext[]> {
      const rest = after && `AND received_at ${order === 'asc' ? '>' : '<'} ${atParam('afterMs')}`
      return readRows(client, readPerpContext, {
        sql: `SELECT ${CONTEXT_COLUMNS} FROM perp_contexts WHERE ${within('received_at')} ${rest ?? ''}
          ORDER BY received_at ${directionOf(order)} LIMIT 1 BY received_at LIMIT {limit:UInt32}`,
        params: { venue, symbol, fromMs, toMs, limit, ...(after && { afterMs: after.receivedAtMs }) },
        ...(signal && { signal }),
      })
    },

    /** In the order in which they were received; repeats of the venue are at most a day old. */
    receivedTrades(range: Perp & TimeRange): Promise<PerpTrade[]> {
      return readRows(client, readPerpTrade, {
        sql: `SELECT ${TRADE_COLUMNS} FROM perp_trades WHERE ${RECEIVED_TRADES}
          ORDER BY received_at, traded_at, trade_id LIMIT 1 BY traded_at, trade_id`,
        params: receivedParams(range),
      })
    },

    /** How many were received; each insert counts. */
    async countReceived(range: Perp & TimeRange, what: 'trades' | 'contexts'): Promise<number> {
      const [found] = await readRows(client, (reader) => reader.uint64(), {
        sql: what === 'trades' ? COUNT_TRADES : COUNT_CONTEXTS,
        params: receivedParams(range),
      })
      return found ?? 0
    },

    /** When the first context or trade of the perp was received; undefined when there is none. */
    async recordedSince({ venue, symbol }: Perp): Promise<number | undefined> {
      const firstIn = async (table: string, time: string): Promise<number> => {
        const [at] = await readRows(client, (reader) => reader.uint64(), {
          sql: `SELECT toUInt64(toUnixTimestamp64Milli(received_at)) FROM ${table} WHERE ${OF_PERP} ORDER BY ${time} LIMIT 1`,
          params: { venue, symbol },
        })
        return at ?? Infinity
      }
      // The venue repeats old trades, so the time of a trade says nothing about when recording began.
      const firstMs = Math.min(
        ...(await Promise.all([firstIn('perp_contexts', 'received_at'), firstIn('perp_trades', 'traded_at')])),
      )
      return firstMs === Infinity ? undefined : firstMs
    },
  }
}

export type PerpTapeStore = ReturnType<typeof perpTapeStore>

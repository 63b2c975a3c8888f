import { readTrade, TRADE_COLUMNS, type Trade } from '../../domain/rows/trade.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, MARKET_PARAM, marketParam, readRows } from './read-rows.ts'
import type { Order } from './slot-sql.ts'

export interface TradePage {
  order: Order
  limit: number
  /** The last trade of the previous page. */
  after?: Trade
}

const COLUMNS = columnList(TRADE_COLUMNS)
const KEY = 'traded_at, transaction_hash, outcome, is_buy, price, size, occurrence'

export function tradeStore(client: ClickHouseReads) {
  return {
    /** Each trade once, however often the venue sent it. */
    range(
      { marketId, fromMs, toMs }: { readonly marketId: string } & TimeRange,
      { order, limit, after }: TradePage,
    ): Promise<Trade[]> {
      const direction = order === 'asc' ? 'ASC' : 'DESC'
      const rest =
        after &&
        `AND (${KEY}) ${order === 'asc' ? '>' : '<'} (${atParam('afterMs')},
        toFixedString(unhex({afterHash:String}), 32), {afterOutcome:UInt8}, {afterIsBuy:UInt8}, {afterPrice:UInt16}, {afterSize:UInt64}, {afterOccurrence:UInt8})`
      return readRows(client, readTrade, {
        sql: `SELECT ${COLUMNS} FROM trades
          WHERE market_id = ${MARKET_PARAM} AND traded_at >= ${atParam('fromMs')} AND traded_at < ${atParam('toMs')} ${rest ?? ''}
          ORDER BY ${KEY.split(', ')
            .map((column) => `${column} ${direction}`)
            .join(', ')}
          LIMIT 1 BY ${KEY} LIMIT {limit:UInt32}`,
        params: { market: marketParam(marketId), fromMs, toMs, limit, ...(after && afterParams(after)) },
      })
    },
  }
}

export type TradeStore = ReturnType<typeof tradeStore>

function afterParams(trade: Trade): Record<string, unknown> {
  return {
    afterMs: trade.tradedAtMs,
    afterHash: trade.transactionHash.slice(2),
    afterOutcome: trade.outcome,
    afterIsBuy: trade.side === 'BUY' ? 1 : 0,
    afterPrice: trade.price,
    afterSize: trade.size,
    afterOccurrence: trade.occurrence,
  }
}

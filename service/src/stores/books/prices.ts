import type { PriceSeries } from '../../domain/price.ts'
import { type Price, priceSchema, readPrice } from '../../domain/rows/price.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, readRows } from './read-rows.ts'
import { directionOf, type Order } from './slot-sql.ts'

interface PricePage {
  readonly order: Order
  readonly limit: number
  /** The time of the last price of the previous page. */
  readonly afterMs?: number | undefined
}

const COLUMNS = columnList(priceSchema.columns)
const OF_SERIES = 'source = {source:String} AND coin = {coin:String}'

/** The recorded prices of coins, by source. */
export function priceStore(client: ClickHouseReads) {
  return {
    /** One price for each time: of several the one that the source told last. */
    range(
      { source, coin, fromMs, toMs }: PriceSeries & TimeRange,
      { order, limit, afterMs }: PricePage,
      signal?: AbortSignal,
    ): Promise<Price[]> {
      const rest = afterMs === undefined ? '' : `AND price_at ${order === 'asc' ? '>' : '<'} ${atParam('afterMs')}`
      return readRows(client, readPrice, {
        sql: `SELECT ${COLUMNS} FROM prices
          WHERE ${OF_SERIES} AND price_at >= ${atParam('fromMs')} AND price_at < ${atParam('toMs')} ${rest}
          ORDER BY price_at ${directionOf(order)}, received_at DESC LIMIT 1 BY price_at LIMIT {limit:UInt32}`,
        params: { source, coin, fromMs, toMs, limit, ...(afterMs !== undefined && { afterMs }) },
        ...(signal && { signal }),
      })
    },

    /** The time of the first price; undefined when there is none. */
    async recordedSince({ source, coin }: PriceSeries): Promise<number | undefined> {
      const [first] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT toUnixTimestamp64Milli(price_at) FROM prices WHERE ${OF_SERIES} ORDER BY price_at LIMIT 1`,
        params: { source, coin },
      })
      return first
    },
  }
}

export type PriceStore = ReturnType<typeof priceStore>

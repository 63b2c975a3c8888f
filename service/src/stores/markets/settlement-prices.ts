import {
  readSettlementPrice,
  type SettlementPoint,
  type SettlementPrice,
  settlementPriceSchema,
} from '../../domain/rows/settlement-price.ts'
import { columnList, MARKET_PARAM, marketParam, readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'

const COLUMNS = columnList(settlementPriceSchema.columns)

export type WindowSettlement = Partial<Record<SettlementPoint, SettlementPrice>>

/** The prices that windows start and end with. */
export function settlementPriceStore(client: ClickHouseReads) {
  return {
    /** What the venue itself states comes before what the recorded series has. */
    async of({ id, venue }: { readonly id: string; readonly venue: string }): Promise<WindowSettlement> {
      const prices = await readRows(client, readSettlementPrice, {
        sql: `SELECT ${COLUMNS} FROM settlement_prices FINAL WHERE market_id = ${MARKET_PARAM}`,
        params: { market: marketParam(id) },
      })
      const found: WindowSettlement = {}
      for (const price of prices)
        if (found[price.point] === undefined || price.source === venue) found[price.point] = price
      return found
    },
  }
}

export type SettlementPriceStore = ReturnType<typeof settlementPriceStore>

import {
  readSettlementPrice,
  type SettlementPoint,
  type SettlementPrice,
  settlementPriceSchema,
} from '../../domain/rows/settlement-price.ts'
import { columnList, IN_MARKETS, MARKET_PARAM, marketParam, readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'

const COLUMNS = columnList(settlementPriceSchema.columns)

export type WindowSettlement = Partial<Record<SettlementPoint, SettlementPrice>>

/** The prices that windows start and end with. */
export function settlementPriceStore(client: ClickHouseReads) {
  return {
    async of(market: MarketOfVenue): Promise<WindowSettlement> {
      const prices = await readRows(client, readSettlementPrice, {
        sql: `SELECT ${COLUMNS} FROM settlement_prices FINAL WHERE market_id = ${MARKET_PARAM}`,
        params: { market: marketParam(market.id) },
      })
      return chosen(prices, market)
    },

    /** By market; those without a price are left out. */
    async ofMany(markets: readonly MarketOfVenue[]): Promise<ReadonlyMap<string, WindowSettlement>> {
      if (markets.length === 0) return new Map()
      const prices = await readRows(client, readSettlementPrice, {
        sql: `SELECT ${COLUMNS} FROM settlement_prices FINAL WHERE ${IN_MARKETS}`,
        params: { markets: markets.map(({ id }) => marketParam(id)) },
      })
      const byMarket = Map.groupBy(prices, ({ marketId }) => marketId)
      return new Map(
        markets.flatMap((market) => {
          const found = byMarket.get(market.id)
          return found === undefined ? [] : [[market.id, chosen(found, market)] as const]
        }),
      )
    },
  }
}

interface MarketOfVenue {
  readonly id: string
  readonly venue: string
}

/** What the venue itself states comes before what the recorded series has. */
function chosen(prices: readonly SettlementPrice[], { venue }: MarketOfVenue): WindowSettlement {
  const found: WindowSettlement = {}
  for (const price of prices) if (found[price.point] === undefined || price.source === venue) found[price.point] = price
  return found
}

export type SettlementPriceStore = ReturnType<typeof settlementPriceStore>

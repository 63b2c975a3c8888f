import { hexId, instant, lowCardinality, usd } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

/** `start` is the price to beat, `end` the price that is compared with it. */
export type SettlementPoint = 'start' | 'end'

/** A price that a window starts or ends with, as one source tells it. */
export interface SettlementPrice {
  marketId: string
  point: SettlementPoint
  /** A source of prices that we record, or the venue when it states the price itself. */
  source: string
  /** Start or end of the window. */
  settlesAtMs: number
  /** In units of 10^-18 USD. */
  price: bigint
  /** The time of the price; at most some seconds before `settlesAtMs`. */
  priceAtMs: number
  /** When this was stored; a later statement of the same source replaces an earlier one. */
  knownAtMs: number
}

/** The key is (market_id, point, source). */
export const settlementPriceSchema = rowSchemaOf<SettlementPrice>()(
  ({ column }) => ({
    market_id: column(hexId, (row) => row.marketId),
    point: column(lowCardinality, (row) => row.point),
    source: column(lowCardinality, (row) => row.source),
    settles_at: column(instant, (row) => row.settlesAtMs),
    price: column(usd, (row) => row.price),
    price_at: column(instant, (row) => row.priceAtMs),
    known_at: column(instant, (row) => row.knownAtMs),
  }),
  (values) => ({
    marketId: values.market_id,
    point: values.point === 'start' ? 'start' : 'end',
    source: values.source,
    settlesAtMs: values.settles_at,
    price: values.price,
    priceAtMs: values.price_at,
    knownAtMs: values.known_at,
  }),
)

export const { write: writeSettlementPrice, read: readSettlementPrice } = settlementPriceSchema

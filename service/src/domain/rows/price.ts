import { instant, lowCardinality, uint8, usd } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

/** A price of one coin from one source; at most one per second is stored. */
export interface Price {
  source: string
  coin: string
  /** In units of 10^-18 USD. */
  price: bigint
  /** The time of the price: the venue's, or that of receipt when the venue gives none. */
  priceAtMs: number
  isVenueTime: boolean
  receivedAtMs: number
}

/** The market id of a series of prices: its name, padded to the length of a condition id. It decides the shard. */
export function priceSeriesId({ source, coin }: Pick<Price, 'source' | 'coin'>): string {
  return `0x${Buffer.from(`price:${source}:${coin}`).toString('hex').padEnd(64, '0')}`
}

/** The key is (source, coin, price_at); a price that the source corrected later replaces the earlier one. */
export const priceSchema = rowSchemaOf<Price>()(
  ({ column }) => ({
    source: column(lowCardinality, (row) => row.source),
    coin: column(lowCardinality, (row) => row.coin),
    price_at: column(instant, (row) => row.priceAtMs),
    is_venue_time: column(uint8, (row) => (row.isVenueTime ? 1 : 0)),
    received_at: column(instant, (row) => row.receivedAtMs),
    price: column(usd, (row) => row.price),
  }),
  (values) => ({
    source: values.source,
    coin: values.coin,
    price: values.price,
    priceAtMs: values.price_at,
    isVenueTime: values.is_venue_time === 1,
    receivedAtMs: values.received_at,
  }),
)

export const { write: writePrice, read: readPrice } = priceSchema

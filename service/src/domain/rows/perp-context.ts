import { instant, lowCardinality, signedDecimal, uint8 } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

/** What a venue computes from the book of a perp; a perp without a book has none of it. */
export interface BookContext {
  readonly midPrice: bigint
  readonly premium: bigint
  readonly impactBid: bigint
  readonly impactAsk: bigint
}

/** Funding, open interest and prices of a perp as the venue told them. All figures are in units of 10^-18. */
export interface ContextFigures {
  /** Of one hour, as a fraction; negative when shorts pay. */
  readonly funding: bigint
  /** In coins, one side counted. */
  readonly openInterest: bigint
  readonly markPrice: bigint
  readonly oraclePrice: bigint
  readonly previousDayPrice: bigint
  readonly dayNotional: bigint
  readonly dayVolume: bigint
  readonly book: BookContext | undefined
}

/** The venue gives contexts no time, so the time is that of receipt. Only changes are stored. */
export interface PerpContext extends ContextFigures {
  readonly venue: string
  readonly symbol: string
  readonly receivedAtMs: number
}

/** The key is (venue, symbol, received_at). */
export const perpContextSchema = rowSchemaOf<PerpContext>()(
  ({ column }) => ({
    venue: column(lowCardinality, (row) => row.venue),
    symbol: column(lowCardinality, (row) => row.symbol),
    received_at: column(instant, (row) => row.receivedAtMs),
    has_book: column(uint8, (row) => (row.book === undefined ? 0 : 1)),
    funding: column(signedDecimal, (row) => row.funding),
    premium: column(signedDecimal, (row) => row.book?.premium ?? 0n),
    open_interest: column(signedDecimal, (row) => row.openInterest),
    mark_price: column(signedDecimal, (row) => row.markPrice),
    oracle_price: column(signedDecimal, (row) => row.oraclePrice),
    mid_price: column(signedDecimal, (row) => row.book?.midPrice ?? 0n),
    impact_bid: column(signedDecimal, (row) => row.book?.impactBid ?? 0n),
    impact_ask: column(signedDecimal, (row) => row.book?.impactAsk ?? 0n),
    previous_day_price: column(signedDecimal, (row) => row.previousDayPrice),
    day_notional: column(signedDecimal, (row) => row.dayNotional),
    day_volume: column(signedDecimal, (row) => row.dayVolume),
  }),
  (values) => ({
    venue: values.venue,
    symbol: values.symbol,
    receivedAtMs: values.received_at,
    funding: values.funding,
    openInterest: values.open_interest,
    markPrice: values.mark_price,
    oraclePrice: values.oracle_price,
    previousDayPrice: values.previous_day_price,
    dayNotional: values.day_notional,
    dayVolume: values.day_volume,
    book:
      values.has_book === 0
        ? undefined
        : {
            midPrice: values.mid_price,
            premium: values.premium,
            impactBid: values.impact_bid,
            impactAsk: values.impact_ask,
          },
  }),
)

export const { write: writePerpContext, read: readPerpContext, columns: PERP_CONTEXT_COLUMNS } = perpContextSchema

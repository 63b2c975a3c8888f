import { z } from 'zod'
import { TICKER } from './market-names.ts'

const Moment = z
  .string()
  .transform((text) => Date.parse(text))
  .refine((atMs) => Number.isFinite(atMs))

const Text = z.string().max(2_000).nullish()
const Ticker = z.string().regex(TICKER)

/** What is read of a market in REST answers. The venue adds keys and values often, so all others are ignored. */
export const KalshiMarketSchema = z.object({
  ticker: Ticker,
  event_ticker: Ticker,
  market_type: Text,
  status: Text,
  title: Text,
  yes_sub_title: Text,
  no_sub_title: Text,
  open_time: Moment.nullish(),
  close_time: Moment.nullish(),
  result: Text,
  settlement_ts: Moment.nullish().catch(undefined),
  strike_type: Text,
  floor_strike: z.number().nullish().catch(undefined),
  cap_strike: z.number().nullish().catch(undefined),
  expiration_value: z.union([z.string(), z.number()]).nullish().catch(undefined),
  price_ranges: z
    .array(z.object({ start: z.string(), end: z.string(), step: z.string() }))
    .max(100)
    .nullish()
    .catch(undefined),
})
export type KalshiMarket = z.infer<typeof KalshiMarketSchema>

/** Each market is parsed separately, so that one invalid market does not affect the others. */
export const MarketPageSchema = z.object({ markets: z.array(z.unknown()).max(1_000), cursor: z.string().nullish() })

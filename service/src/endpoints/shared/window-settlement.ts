import { z } from 'zod'
import { usdOf } from '../../domain/decimal.ts'
import { isWindow } from '../../domain/slug.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'
import type { WindowSettlement } from '../../stores/markets/settlement-prices.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { Stores } from '../stores.ts'
import type { FoundMarket } from './found-market.ts'

const SOURCES =
  'twap60 (mean of Chainlink over 60 s) or binance from the recorded series, or the venue that stated it, such as polymarket'

/** Prices that an up/down window of a coin is decided by; each is left out until it is known. */
export const settlementMembers = {
  price_to_beat: z.number().optional().describe('price in USD at the start of an up/down window of a coin'),
  price_to_beat_source: z.string().optional().describe(SOURCES),
  price_to_beat_at: Instant.optional().describe('time of the price'),
  settlement_price: z.number().optional().describe('price in USD at the end of the window; at or above is Up'),
  settlement_price_source: z.string().optional().describe('like price_to_beat_source'),
  settlement_price_at: Instant.optional(),
}
const Members = z.object(settlementMembers)

/** Nothing while the store is unavailable. */
export async function settlementOf(stores: Stores, market: FoundMarket): Promise<z.infer<typeof Members>> {
  if (!isWindow(market)) return {}
  try {
    return settlementMembersOf(await stores.settlementPrices.of(market))
  } catch (error) {
    if (isStoreAway(error)) return {}
    throw error
  }
}

export function settlementMembersOf({ start, end }: WindowSettlement): z.infer<typeof Members> {
  return {
    ...(start && {
      price_to_beat: usdOf(start.price),
      price_to_beat_source: start.source,
      price_to_beat_at: instantOf(start.priceAtMs),
    }),
    ...(end && {
      settlement_price: usdOf(end.price),
      settlement_price_source: end.source,
      settlement_price_at: instantOf(end.priceAtMs),
    }),
  }
}

import { z } from 'zod'
import { MARKET_STATUSES, type MarketStatus } from '../../domain/market-status.ts'
import type { EventKey } from '../../stores/markets/market-events.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { VenueName } from '../schemas/venue.ts'

export const EventEntry = z
  .object({
    event: z.string().describe('slug of the event at the venue'),
    title: z.string(),
    venue: VenueName,
    category: z.string(),
    subcategory: z.string().describe('coin, league, topic or city'),
    timeframe: z.string(),
    status: z.enum(MARKET_STATUSES).describe('of its most current market: live, else upcoming, settling or expired'),
    markets: z.int().describe('all markets of the event, also ended ones'),
    start_date: Instant.nullable().describe('earliest start of its markets; null when none has a start'),
    end_date: Instant.describe('latest end of its markets'),
  })
  .meta({ id: 'MarketEvent' })
export type EventEntry = z.output<typeof EventEntry>

/** From the most current to the least. */
const CURRENT_FIRST: readonly MarketStatus[] = ['live', 'upcoming', 'settling', 'expired']

export function eventKeyOf({ venue, eventSlug }: Pick<StoredMarket, 'venue' | 'eventSlug'>): EventKey {
  return { venue, slug: eventSlug }
}

/** `markets` are some of the event, at least one; the size is that of all. */
export function eventEntryOf(
  markets: readonly [StoredMarket, ...StoredMarket[]],
  size: { readonly markets: number; readonly startsAtMs?: number; readonly endsAtMs: number },
): EventEntry {
  const [first] = markets
  return {
    event: first.eventSlug,
    title: first.eventTitle,
    venue: first.venue,
    category: first.category,
    subcategory: first.subcategory,
    timeframe: first.timeframe,
    status: CURRENT_FIRST.find((status) => markets.some((market) => market.status === status)) ?? 'expired',
    markets: size.markets,
    start_date: size.startsAtMs === undefined ? null : instantOf(size.startsAtMs),
    end_date: instantOf(size.endsAtMs),
  }
}

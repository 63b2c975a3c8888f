import { z } from 'zod'
import { MARKET_STATUSES } from '../../domain/market-status.ts'
import { REFERENCE_SOURCES } from '../../domain/price.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'
import { endpoint } from '../endpoint.ts'
import { type SpotMembers, spotMembersOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { oneVenue, VenueOfSlug } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import type { FoundMarket, RecordedOnly } from '../shared/found-market.ts'
import { outcomeOf } from '../shared/listed-results.ts'
import { expiresIn, isActive, isUpDown } from '../shared/market-flags.ts'
import { matchMembers, matchSlug, SlugParams, slugMembers, slugNotFound } from '../shared/match-slug.ts'
import { settlementMembers, settlementOf } from '../shared/window-settlement.ts'
import type { Stores } from '../stores.ts'

const TOKENS = 2
/** An older spot price of a live market is not shown. */
const MAX_SPOT_AGE_MS = 60_000
/** How long before the end of a market its last spot price is searched. */
const LAST_SPOT_WITHIN_MS = 3_600_000

const SingleMarket = z
  .object({
    market_id: z.string(),
    category: z.string(),
    subcategory: z.string(),
    label: z.string(),
    question: z.string(),
    crypto: z
      .string()
      .optional()
      .describe('the coin; empty for other categories, and left out for ended markets of them'),
    crypto_price: z
      .number()
      .optional()
      .describe(
        'spot price in USD now, or at the end of an ended market; left out when it is unknown; 0 for live markets of other categories',
      ),
    timeframe: z.string(),
    slug: z.string(),
    token_ids: z.tuple([z.string(), z.string()]),
    outcomes: z.tuple([z.string(), z.string()]).describe('Up and Down for crypto windows, else Yes and No'),
    token_id_up: z.string(),
    token_id_down: z.string(),
    end_date: Instant,
    active: z.boolean(),
    expired: z.boolean(),
    expires_in: z.int().describe('milliseconds until the end; 0 after it'),
    status: z.enum(MARKET_STATUSES),
    start_date: Instant.optional().describe('start of the window or game'),
    outcome_names: z.tuple([z.string(), z.string()]).optional().describe('names of the outcomes at the venue'),
    event_title: z.string().optional(),
    neg_risk_id: z.string().optional(),
    resolved_outcome: z
      .enum(['UP', 'DOWN', 'SPLIT'])
      .optional()
      .describe('the token that won; left out until the market is resolved'),
    resolved_at: Instant.optional(),
    described_by: z
      .enum(['recorded_facts', 'capture_statistics'])
      .optional()
      .describe(
        'only for a market without a metadata row: it is described by what was recorded of its listing, or only by its rows; then unknown texts are empty and end_date is the last slot',
      ),
    first_seen: Instant.optional().describe(
      'first recorded slot; only with described_by, like last_seen and snapshot_count',
    ),
    last_seen: Instant.optional(),
    capture_interval_ms: z.int().describe('sampling interval'),
    snapshot_count: z.int().optional().describe('token snapshots, two per slot'),
    ...slugMembers,
    crypto_price_source: z
      .enum(REFERENCE_SOURCES)
      .optional()
      .describe('where crypto_price comes from; chainlink is used when binance has no price of the coin'),
    ...settlementMembers,
    venue: VenueName,
    event_slug: z.string().optional().describe('its event: see `GET /v1/events/{event}`'),
  })
  .meta({ id: 'SingleMarket' })
type SingleMarket = z.infer<typeof SingleMarket>
type Described = Omit<SingleMarket, keyof typeof slugMembers>

export const getMarket = endpoint({
  method: 'GET',
  path: '/v1/markets/by-slug/{slug}',
  name: 'get_market',
  group: 'Markets',
  summary: 'Get a live or ended market by its slug, a part of the slug, or its condition id',
  access: { by: 'key', scope: 'live' },
  params: SlugParams,
  query: z.object({ venue: VenueOfSlug }),
  reply: SingleMarket,
  errors: ['slug_not_found'],

  async handle({ params, query, stores, nowMs, require }) {
    const { slug } = params
    const match = await matchSlug(stores, slug, nowMs, { venue: oneVenue(query.venue) })
    if (match.market === undefined) throw slugNotFound(slug, match.candidates)
    const { market, matchedBy } = match
    require({ category: market.category })
    return { body: { ...(await marketOf(stores, market, nowMs)), ...matchMembers(slug, matchedBy) } }
  },
})

async function marketOf(stores: Stores, market: FoundMarket, nowMs: number): Promise<Described> {
  const { category, subcategory, status, tokenIds, startsAtMs, groupId, resolution, recorded } = market
  const isOpen = isActive(status)
  const isCrypto = category === 'crypto'
  const spot = isCrypto ? await spotOf(stores, market, nowMs) : undefined
  return {
    market_id: market.id,
    category,
    subcategory,
    label: market.label,
    question: market.question,
    ...(isCrypto && { crypto: subcategory }),
    ...spot,
    ...(!isCrypto && isOpen && { crypto: '', crypto_price: 0 }),
    timeframe: market.timeframe,
    slug: market.slug,
    ...tokensOf(market, tokenIds),
    end_date: instantOf(market.endsAtMs),
    active: isOpen,
    expired: !isOpen,
    expires_in: expiresIn(market, nowMs),
    status,
    ...(startsAtMs !== undefined && { start_date: instantOf(startsAtMs) }),
    ...(recorded === undefined && { outcome_names: [...market.outcomeNames] as [string, string] }),
    ...(market.eventTitle !== '' && { event_title: market.eventTitle }),
    ...(groupId !== undefined && { neg_risk_id: groupId }),
    ...(resolution && outcomeOf(resolution)),
    capture_interval_ms: market.captureIntervalMs,
    ...(recorded && statisticsOf(recorded)),
    ...(await settlementOf(stores, market)),
    venue: market.venue,
    ...(market.eventSlug !== '' && { event_slug: market.eventSlug }),
  }
}

function statisticsOf({ describedBy, span }: RecordedOnly) {
  return {
    described_by: describedBy,
    snapshot_count: (span?.rowCount ?? 0) * TOKENS,
    ...(span && {
      first_seen: instantOf(slotTimeMs(span.firstSlot, span.intervalMs)),
      last_seen: instantOf(slotTimeMs(span.lastSlot, span.intervalMs)),
    }),
  }
}

/** The price now, or at the end of an ended market; undefined when it is unknown or its store is unavailable. */
async function spotOf(
  { books, snapshots }: Stores,
  market: FoundMarket,
  nowMs: number,
): Promise<SpotMembers | undefined> {
  const { id, endsAtMs, captureIntervalMs, status, resolution } = market
  try {
    if (isActive(status)) {
      const snapshot = await books.read(id, nowMs)
      const isKnown = snapshot !== undefined && nowMs - snapshot.capturedAtMs <= MAX_SPOT_AGE_MS
      return isKnown ? spotMembersOf(snapshot) : undefined
    }
    const atMs = Math.min(endsAtMs, resolution?.resolvedAtMs ?? endsAtMs)
    const span = { marketId: id, intervalMs: captureIntervalMs }
    const last = await snapshots.latestBefore(span, { atMs, withinMs: LAST_SPOT_WITHIN_MS })
    return last && spotMembersOf(last)
  } catch (error) {
    if (isStoreAway(error)) return undefined
    throw error
  }
}

function tokensOf(market: { category: string; timeframe: string }, [up, down]: readonly [string, string]) {
  const outcomes: [string, string] = isUpDown(market) ? ['Up', 'Down'] : ['Yes', 'No']
  return { token_ids: [up, down] as [string, string], outcomes, token_id_up: up, token_id_down: down }
}

import { createHash } from 'node:crypto'
import type { Market, Resolution } from '../../domain/market.ts'
import { type MarketStatus, marketStatusAt } from '../../domain/market-status.ts'
import type { MarketRow, NewMarketRow } from '../engines/postgres-database.ts'
import { categoryIn } from './postgres-plans.ts'

/** A market and the time at which the venue listed it. */
export interface ListedMarket {
  readonly market: Market
  readonly seenAtMs: number
}

export interface StoredMarket extends Market {
  readonly firstSeenAtMs: number
  readonly lastSeenAtMs: number
  readonly status: MarketStatus
  readonly resolution?: Resolution
}

/** Columns that a newer listing replaces. The capture interval of a market never changes. */
export const CHANGING_COLUMNS = [
  'venue',
  'category',
  'subcategory',
  'timeframe',
  'up_token_id',
  'down_token_id',
  'up_outcome_name',
  'down_outcome_name',
  'slug',
  'question',
  'label',
  'event_slug',
  'event_title',
  'venue_key',
  'group_id',
  'price_grid',
  'facts',
  'starts_at',
  'ends_at',
  'plan_id',
  'last_seen_at',
  'fingerprint',
] as const satisfies readonly (keyof MarketRow)[]

export function rowOfListing({ market, seenAtMs }: ListedMarket): NewMarketRow {
  const seenAt = new Date(seenAtMs)
  const facts = {
    id: market.id,
    venue: market.venue,
    category: market.category,
    subcategory: market.subcategory,
    timeframe: market.timeframe,
    up_token_id: market.tokenIds[0],
    down_token_id: market.tokenIds[1],
    up_outcome_name: market.outcomeNames[0],
    down_outcome_name: market.outcomeNames[1],
    slug: market.slug,
    question: market.question,
    label: market.label,
    event_slug: market.eventSlug,
    event_title: market.eventTitle,
    venue_key: market.venueKey,
    group_id: market.groupId ?? null,
    price_grid: JSON.stringify(market.priceGrid),
    facts: JSON.stringify(market.facts),
    starts_at: market.startsAtMs === undefined ? null : new Date(market.startsAtMs),
    ends_at: new Date(market.endsAtMs),
    plan_id: market.planId,
  }
  const fingerprint = createHash('sha256').update(JSON.stringify(facts)).digest('base64url')
  const interval = { capture_interval_ms: market.captureIntervalMs }
  return { ...facts, ...interval, first_seen_at: seenAt, last_seen_at: seenAt, fingerprint }
}

/** A row of `markets` joined with its resolution. */
export interface JoinedRow extends MarketRow {
  winner: number | null
  resolved_at: Date | null
}

export function marketOfRow(row: JoinedRow, nowMs: number): StoredMarket {
  const times = {
    ...(row.starts_at && { startsAtMs: row.starts_at.getTime() }),
    endsAtMs: row.ends_at.getTime(),
  }
  return {
    id: row.id,
    venue: row.venue,
    category: categoryIn(row.category),
    subcategory: row.subcategory,
    timeframe: row.timeframe,
    tokenIds: [row.up_token_id, row.down_token_id],
    outcomeNames: [row.up_outcome_name, row.down_outcome_name],
    slug: row.slug,
    question: row.question,
    label: row.label,
    eventSlug: row.event_slug,
    eventTitle: row.event_title,
    venueKey: row.venue_key,
    ...(row.group_id !== null && { groupId: row.group_id }),
    priceGrid: row.price_grid,
    facts: row.facts,
    ...times,
    planId: row.plan_id,
    captureIntervalMs: row.capture_interval_ms,
    firstSeenAtMs: row.first_seen_at.getTime(),
    lastSeenAtMs: row.last_seen_at.getTime(),
    status: marketStatusAt(nowMs, times, row.resolved_at !== null),
    ...(row.resolved_at && { resolution: resolutionOf(row.id, row.winner, row.resolved_at) }),
  }
}

function resolutionOf(marketId: string, winner: number | null, resolvedAt: Date): Resolution {
  return { marketId, ...(winner !== null && { winner: winner === 0 ? 0 : 1 }), resolvedAtMs: resolvedAt.getTime() }
}

import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'
import { currentCaller } from '../engines/waiting-caller.ts'
import { type JoinedRow, marketOfRow, type StoredMarket } from './postgres-market-rows.ts'

/** A group of markets that the venue lists under one title. */
export interface EventKey {
  readonly venue: string
  readonly slug: string
}

/** Of all markets of an event, also ended ones. */
export interface EventSize extends EventKey {
  readonly markets: number
  /** Undefined when no market of it has a start. */
  readonly startsAtMs?: number
  readonly endsAtMs: number
}

export interface EventMarketsPage {
  readonly limit: number
  readonly after?: { readonly endsAtMs: number; readonly id: string } | undefined
}

interface SizeRow {
  venue: string
  event_slug: string
  markets: string
  starts_at: Date | null
  ends_at: Date
}

/** Events of the venues, as the listings of their markets name them. */
export class MarketEvents {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Only those that exist, in no order. */
  async sizes(keys: readonly EventKey[]): Promise<EventSize[]> {
    if (keys.length === 0) return []
    const { rows } = await sql<SizeRow>`
      SELECT venue, event_slug, count(*) AS markets, min(starts_at) AS starts_at, max(ends_at) AS ends_at
      FROM markets JOIN unnest(${keys.map(({ venue }) => venue)}::text[], ${keys.map(({ slug }) => slug)}::text[])
        AS wanted (of_venue, of_slug) ON venue = of_venue AND event_slug = of_slug
      GROUP BY venue, event_slug
    `.execute(this.#database, cancelled())
    return rows.map(({ venue, event_slug: slug, markets, starts_at: startsAt, ends_at: endsAt }) => ({
      venue,
      slug,
      markets: Number(markets),
      ...(startsAt && { startsAtMs: startsAt.getTime() }),
      endsAtMs: endsAt.getTime(),
    }))
  }

  /** Soonest-ending first, ties by id. */
  async marketsOf(
    { venue, slug }: EventKey,
    { limit, after }: EventMarketsPage,
    nowMs: number,
  ): Promise<StoredMarket[]> {
    const { rows } = await sql<JoinedRow>`
      SELECT markets.*, winner, resolved_at
      FROM markets LEFT JOIN resolutions ON resolutions.market_id = markets.id
      WHERE venue = ${venue} AND event_slug = ${slug}
        AND (ends_at, markets.id) > (${new Date(after?.endsAtMs ?? 0)}::timestamptz, ${after?.id ?? ''})
      ORDER BY ends_at, markets.id LIMIT ${limit}
    `.execute(this.#database, cancelled())
    return rows.map((row) => marketOfRow(row, nowMs))
  }
}

function cancelled() {
  return { signal: currentCaller().signal, inflightQueryAbortStrategy: 'cancel query' } as const
}

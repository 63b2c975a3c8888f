import { type ExpressionBuilder, type OnConflictDatabase, type OnConflictTables, type RawBuilder, sql } from 'kysely'
import type { Resolution } from '../../domain/market.ts'
import type { Database, Tables } from '../engines/postgres-database.ts'
import { CHANGING_COLUMNS, type ListedMarket, rowOfListing } from './postgres-market-rows.ts'

type MarketConflict = ExpressionBuilder<OnConflictDatabase<Tables, 'markets'>, OnConflictTables<'markets'>>

/** A row has 25 parameters and a statement at most 65,535. */
const ROWS_PER_STATEMENT = 1_000

/** The newest listing of a market is kept, in whatever order and however often listings are saved. */
export async function saveListings(database: Database, listings: readonly ListedMarket[]): Promise<void> {
  for (const statement of statementsOf(listings, ({ market }) => market.id)) {
    await database
      .insertInto('markets')
      .values(statement.map(rowOfListing))
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((columns) => ({
            ...Object.fromEntries(CHANGING_COLUMNS.map((name) => [name, newerOf(columns, name)])),
            first_seen_at: sql<Date>`least(markets.first_seen_at, excluded.first_seen_at)`,
          }))
          .where(sql<boolean>`${isNewer} OR excluded.first_seen_at < markets.first_seen_at`),
      )
      .execute()
  }
}

/** Of two different resolutions the later one is kept. */
export async function saveResolutions(database: Database, resolutions: readonly Resolution[]): Promise<void> {
  for (const statement of statementsOf(resolutions, ({ marketId }) => marketId)) {
    await database
      .insertInto('resolutions')
      .values(
        statement.map(({ marketId, winner, resolvedAtMs }) => ({
          market_id: marketId,
          winner: winner ?? null,
          resolved_at: new Date(resolvedAtMs),
        })),
      )
      .onConflict((conflict) =>
        conflict
          .column('market_id')
          .doUpdateSet((columns) => ({
            winner: columns.ref('excluded.winner'),
            resolved_at: columns.ref('excluded.resolved_at'),
          }))
          .where(
            sql<boolean>`(excluded.resolved_at, coalesce(excluded.winner, -1)) > (resolutions.resolved_at, coalesce(resolutions.winner, -1))`,
          ),
      )
      .execute()
  }
}

const isNewer = sql<boolean>`(excluded.last_seen_at, excluded.fingerprint) > (markets.last_seen_at, markets.fingerprint)`

function newerOf(columns: MarketConflict, name: (typeof CHANGING_COLUMNS)[number]): RawBuilder<unknown> {
  return sql`CASE WHEN ${isNewer} THEN ${columns.ref(`excluded.${name}`)} ELSE ${columns.ref(`markets.${name}`)} END`
}

/**
 * A statement cannot update a row twice, so repeated items go into the next one. Sorted, because writers that lock
 * the same rows in different orders would deadlock.
 */
function* statementsOf<Item>(items: readonly Item[], idOf: (item: Item) => string): Generator<Item[]> {
  let rest = items
  while (rest.length > 0) {
    const round = new Map<string, Item>()
    const repeated: Item[] = []
    for (const item of rest) {
      if (round.has(idOf(item))) repeated.push(item)
      else round.set(idOf(item), item)
    }
    const sorted = [...round].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item)
    for (let from = 0; from < sorted.length; from += ROWS_PER_STATEMENT)
      yield sorted.slice(from, from + ROWS_PER_STATEMENT)
    rest = repeated
  }
}

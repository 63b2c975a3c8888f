import { type ColumnType, type Generated, type Insertable, Kysely, PostgresDialect, type Selectable } from 'kysely'
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg'
import { ApiError } from '../../domain/api-error.ts'
import type { PriceRange } from '../../domain/market.ts'
import type { WorstMarket } from '../../domain/worst-markets.ts'
import type { AccountTables } from '../accounts/postgres-account-tables.ts'
import type { FileTables } from '../files/postgres-file-tables.ts'
import type { FairQueue } from './fair-queue.ts'
import { currentCaller } from './waiting-caller.ts'

interface CategoryPlansTable {
  id: string
  category: string
  display_name: string
  capture_interval_ms: number
  refresh_interval_ms: number
  is_enabled: boolean
  rank: number
}

interface MarketsTable {
  id: string
  venue: string
  category: string
  subcategory: string
  timeframe: string
  up_token_id: string
  down_token_id: string
  up_outcome_name: string
  down_outcome_name: string
  slug: string
  question: string
  label: string
  event_slug: string
  event_title: string
  venue_key: string
  group_id: string | null
  price_grid: ColumnType<PriceRange[], string, string>
  facts: ColumnType<Record<string, string | boolean>, string, string>
  starts_at: Date | null
  ends_at: Date
  plan_id: string
  capture_interval_ms: number
  first_seen_at: Date
  last_seen_at: Date
  fingerprint: string
}

interface ResolutionsTable {
  market_id: string
  winner: number | null
  resolved_at: Date
}

/** Triggers write it. */
interface ResolvedCountsTable {
  venue: string
  category: string
  subcategory: string
  timeframe: string
  markets: string
}

interface CorrectionsTable {
  id: Generated<string>
  market_id: string
  hour_at: Date
  revision: number
  reason: string
  rows_changed: number
  gaps_changed: number
  trades_changed: number
  begun_at: Generated<Date>
  corrected_at: Date | null
}

interface CoveragePartsTable {
  part: 'hour' | 'day'
  start_at: Date
  venue: string
  category: string
  market_count: number
  expected: ColumnType<string, number, number>
  stored: ColumnType<string, number, number>
  suspect: ColumnType<string, number, number>
  causes: ColumnType<Record<string, number>, string, string>
  worst: ColumnType<WorstMarket[] | null, string | null, string | null>
}

interface CountedDaysTable {
  day_at: Date
  counted_to: Date
  counted_at: Date
}

export interface Tables extends AccountTables, FileTables {
  category_plans: CategoryPlansTable
  markets: MarketsTable
  resolutions: ResolutionsTable
  resolved_counts: ResolvedCountsTable
  corrections: CorrectionsTable
  coverage_parts: CoveragePartsTable
  counted_days: CountedDaysTable
}

export type Database = Kysely<Tables>
export type MarketRow = Selectable<MarketsTable>
export type ManifestRow = Selectable<FileTables['manifests']>
export type FileRow = Selectable<FileTables['files']>
export type NewMarketRow = Insertable<MarketsTable>

export interface DatabaseOptions {
  readonly url: string
  readonly maxConnections?: number
  /** Gives the connections to accounts in turn; it has as many places as there are connections. */
  readonly queue?: FairQueue
  /** Default 5000. */
  readonly answerWithinMs?: number
  /** Called when a connection breaks; the pool replaces it. */
  readonly onTrouble?: (error: Error) => void
}

const ANSWER_WITHIN_MS = 5_000
const CONNECT_WITHIN_MS = 20_000
const MAX_CONNECTIONS = 10
/** Further queries are refused at once. */
const MAX_WAITING_FOR_CONNECTION = 10_000

/** A pool that connects on first use. Client and server both have a timeout, because a hanging server reports nothing. */
export function openDatabase(options: DatabaseOptions): Database {
  const answerWithinMs = options.answerWithinMs ?? ANSWER_WITHIN_MS
  const maxConnections = options.maxConnections ?? MAX_CONNECTIONS
  const pool = new Pool({
    connectionString: options.url,
    max: maxConnections,
    connectionTimeoutMillis: Math.min(answerWithinMs, CONNECT_WITHIN_MS),
    statement_timeout: answerWithinMs,
    query_timeout: answerWithinMs + 500,
    keepAlive: true,
  })
  const onTrouble = options.onTrouble ?? (() => {})
  pool.on('error', onTrouble)
  // The pool handles errors only of idle connections; an error of a connection in use would end the process.
  pool.on('connect', (client) => client.on('error', onTrouble))
  const connect = async (): Promise<PoolClient> => {
    const { account, signal } = currentCaller()
    const giveBack = await options.queue?.take(account, signal)
    try {
      const client = await connectOrBusy(pool, maxConnections)
      const release = client.release.bind(client)
      client.release = (error) => {
        release(error)
        giveBack?.()
      }
      return client
    } catch (error) {
      giveBack?.()
      throw error
    }
  }
  // Queries are cancelled over connections beside the pool, because those of the pool may all be in use.
  const controlClient = class extends Client {
    constructor(config: ClientConfig) {
      super(config)
      this.on('error', onTrouble)
    }
  }
  const ownPool = { connect, end: () => pool.end(), options: pool.options }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: ownPool, controlClient }) })
}

/** Throws `overloaded` when all connections stay in use: PostgreSQL is available then, so this is no outage. */
async function connectOrBusy(pool: Pool, maxConnections: number): Promise<PoolClient> {
  const isFull = pool.totalCount >= maxConnections && pool.idleCount === 0
  if (pool.waitingCount >= MAX_WAITING_FOR_CONNECTION) throw poolIsBusy()
  try {
    return await pool.connect()
  } catch (error) {
    const isWaitOver = error instanceof Error && error.message.includes('timeout exceeded when trying to connect')
    throw isFull && isWaitOver ? poolIsBusy(error) : error
  }
}

function poolIsBusy(cause?: unknown): ApiError {
  const message = 'The database has too many queries at the moment. Try again in a second.'
  return new ApiError('overloaded', message, { retryAfterSeconds: 1, cause })
}

/**
 * The data is invalid (22…), violates a constraint (23…) or is no market, so a retry would fail too.
 * Every other error may be temporary.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^2[23]/.test(error.code ?? '')
  return error instanceof TypeError || error instanceof RangeError
}

/**
 * PostgreSQL is away, starting, stopping or too slow, and the statement may or may not have been executed. False for
 * statements that it refused and for programming errors.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(08|53|57)/.test(error.code ?? '')
  const isOurs = error instanceof TypeError || error instanceof RangeError || error instanceof ApiError
  return error instanceof Error && !isOurs
}

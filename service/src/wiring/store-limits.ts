/** How long the API waits for each store before it answers 503 or continues without it. */
export interface StoreLimits {
  /** PostgreSQL: keys, accounts, credits, markets. */
  readonly postgresMs: number
  /** PostgreSQL: lists and searches of markets, usage and uptime, on connections of their own. */
  readonly postgresReadMs: number
  /** Redis for rate limits; after this time each node counts on its own. */
  readonly rateLimitMs: number
  /** Redis for sessions. Session lookups have no fallback, so they wait longer. */
  readonly sessionMs: number
  /** How long a process that starts waits for Redis. */
  readonly redisConnectMs: number
  /** Redis for the newest books. */
  readonly newestBooksMs: number
  /** ClickHouse: one query. */
  readonly clickhouseMs: number
}

export const STORE_LIMITS: StoreLimits = {
  postgresMs: 1_000,
  postgresReadMs: 3_000,
  rateLimitMs: 500,
  sessionMs: 1_000,
  redisConnectMs: 2_000,
  newestBooksMs: 500,
  clickhouseMs: 8_000,
}

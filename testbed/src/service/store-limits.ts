import type { StoreLimits } from '@bookreel/service/wiring/store-limits'

/** Long timeouts, so that a slow machine does not fail tests. */
export const PATIENT: StoreLimits = {
  postgresMs: 30_000,
  postgresReadMs: 30_000,
  rateLimitMs: 10_000,
  sessionMs: 30_000,
  redisConnectMs: 60_000,
  newestBooksMs: 30_000,
  clickhouseMs: 60_000,
}

/** Timeouts for tests that stop a store: short enough to wait for, long enough for a slow machine. */
export const BRIEF: StoreLimits = {
  postgresMs: 5_000,
  postgresReadMs: 5_000,
  rateLimitMs: 500,
  sessionMs: 5_000,
  redisConnectMs: 60_000,
  newestBooksMs: 5_000,
  clickhouseMs: 5_000,
}

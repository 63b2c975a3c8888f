const MINUTE_MS = 60_000

/**
 * The clock of the frozen world stands here: a Wednesday in summer time, far from the ends of day, month and year, and
 * in the middle of a five-minute window. The day is fixed, so that ids, slugs and numbers are the same in every run.
 * No table of a test forgets rows by their age unless the test sets a retention, which it can't do with this world.
 */
export const WORLD_NOW_MS = Date.parse('2026-10-14T12:02:30Z')

/** Recording begins a minute before the window that ends at noon. */
export const WORLD_FROM_MS = Date.parse('2026-10-14T11:54:00Z')

/** Markets that go on for days are recorded for fewer minutes. */
export const LONG_LIVED_FROM_MS = Date.parse('2026-10-14T11:58:00Z')

export const PERPS_FROM_MS = Date.parse('2026-10-14T12:00:00Z')

/** From here on one market is as busy as the busiest of the venue. */
export const BUSY_FROM_MS = Date.parse('2026-10-14T12:01:00Z')

/** Windows of Bitcoin have a socket of their own, which was lost once for six seconds. */
export const AWAY = {
  fromMs: WORLD_FROM_MS + 3 * MINUTE_MS,
  toMs: WORLD_FROM_MS + 3 * MINUTE_MS + 6_000,
  cause: 'disconnected',
  detail: 'socket closed with 1006',
} as const

/** Of the fastest markets; every other interval is a multiple of it. */
export const TICK_MS = 250

export const WORLD_SEED = 'frozen'

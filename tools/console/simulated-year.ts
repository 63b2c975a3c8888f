import { readConfig } from '@bookreel/service/config'
import type { CoverageSum } from '@bookreel/service/domain/coverage-sums'
import { CoverageCounts } from '@bookreel/service/stores/books/coverage-counts'
import { openAccess } from '@bookreel/service/wiring/open-access'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const RECORDED_DAYS = 240
const MARKETS = 180
const SLOTS_PER_HOUR = 14_400
/** Slots of an hour in which the venue was away for twenty seconds. */
const AWAY_SLOTS = 80

/** The day whose hours a picture shows, in days before today. */
export const SHOWN_DAYS_AGO = 9

/**
 * Counts of many days, as if the service had recorded them: most complete, some not, and one hour without any row.
 * The given markets are listed as the worst of the days that are not complete.
 */
export async function saveSimulatedYear(
  environment: Readonly<Record<string, string>>,
  marketIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const access = openAccess(readConfig(environment), () => {})
  try {
    const counts = new CoverageCounts(access.database)
    const today = Math.floor(nowMs / DAY_MS) * DAY_MS
    for (let ago = RECORDED_DAYS; ago > 0; ago--) {
      const dayMs = today - ago * DAY_MS
      const hours = Array.from({ length: 24 }, (_, hour) => hourOf(dayMs + hour * HOUR_MS, lostIn(ago, hour)))
      const sums = [dayOf(dayMs, hours, marketIds), ...hours]
      await counts.save({ dayMs, countedToMs: dayMs + DAY_MS, countedAtMs: nowMs, sums })
    }
  } finally {
    await access.close()
  }
}

/** Slots of each market that were lost. */
function lostIn(daysAgo: number, hour: number): number {
  if (daysAgo === SHOWN_DAYS_AGO && hour === 14) return SLOTS_PER_HOUR
  if (daysAgo === SHOWN_DAYS_AGO && hour === 15) return AWAY_SLOTS
  return daysAgo % 17 === 3 && hour === 6 ? AWAY_SLOTS : 0
}

function hourOf(startMs: number, lost: number): CoverageSum {
  return {
    part: 'hour',
    startMs,
    venue: 'polymarket',
    category: 'crypto',
    marketCount: MARKETS,
    expected: MARKETS * SLOTS_PER_HOUR,
    stored: MARKETS * (SLOTS_PER_HOUR - lost),
    suspect: 0,
    causes: lost === 0 ? {} : { disconnected: MARKETS * lost },
  }
}

function dayOf(startMs: number, hours: readonly CoverageSum[], marketIds: readonly string[]): CoverageSum {
  const sum = (of: (hour: CoverageSum) => number): number => hours.reduce((total, hour) => total + of(hour), 0)
  const lost = sum(({ causes }) => causes.disconnected ?? 0)
  const expected = 24 * SLOTS_PER_HOUR
  const worst = { expected, stored: expected - lost / MARKETS, suspect: 0 }
  return {
    ...hourOf(startMs, 0),
    part: 'day',
    expected: sum(({ expected }) => expected),
    stored: sum(({ stored }) => stored),
    causes: lost === 0 ? {} : { disconnected: lost },
    worst: lost === 0 ? [] : marketIds.map((marketId) => ({ marketId, ...worst })),
  }
}

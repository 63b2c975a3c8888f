import type { Market } from '../../service/src/domain/market.ts'
import { CoverageCounts } from '../../service/src/stores/books/coverage-counts.ts'
import { countDueDays } from '../../service/src/workers/count-coverage.ts'
import { recordSample, recordWindows } from '../../service/test/account/recorded-windows.ts'
import { HOUR_MS, PAST_HOUR_MS, PastMarket } from '../../testbed/src/service/past-market.ts'
import { list, madeMarket, madeRow, putInRedis, storeFacts } from '../../testbed/src/service/stored-markets.ts'
import type { TestService } from '../../testbed/src/service/test-service.ts'
import { WORLD_NOW_MS } from '../../testbed/src/world/world-times.ts'
import { storePastHour } from './past-hour-market.ts'
import { recordIncident } from './probed-hour.ts'

const DAY_MS = 24 * HOUR_MS
const LAST = 159
/** Markets that are open now, more than one page of the catalogue. */
const OPEN_MARKETS = 60
const COUNTED_DAYS = 200
/** Of five minutes each, with files. */
export const WINDOWS = 10

/** What was recorded, for the pages that show it. */
export interface RecordedWorld {
  /** Open, of one coin; the first has a book. */
  readonly open: readonly Market[]
  readonly game: Market
  /** Ended, with slots missing and suspect, each with a cause. */
  readonly degraded: PastMarket
  readonly complete: PastMarket
  /** Ended, with slots that have neither a row nor a cause. */
  readonly broken: PastMarket
  /** An hour whose book wanders, with a gap and trades. */
  readonly wandering: PastMarket
  /** Of DOGE, in different hours. */
  readonly windows: readonly PastMarket[]
  /** Start of the only incident. */
  readonly incidentAt: string
  /** Today, and a finished day in which every market was complete, one with gaps, and one without any row. */
  readonly days: {
    readonly today: string
    readonly available: string
    readonly degraded: string
    readonly missing: string
  }
}

export async function recordWorld(service: TestService): Promise<RecordedWorld> {
  const open = openMarkets()
  const game = madeMarket('game', {
    category: 'sports',
    subcategory: 'NBA',
    timeframe: 'game',
    planId: 'sports',
    question: 'Will the Lakers win?',
    slug: 'nba-lakers',
  })
  const past = (name: string, question: string) =>
    PastMarket.save(service, name, { slug: `past-${name}`, question, endsAtMs: PAST_HOUR_MS + 600_000 })
  const degraded = await past('degraded', 'Bitcoin Up or Down, with a lost connection?')
  const complete = await past('complete', 'Bitcoin Up or Down, complete?')
  const broken = await past('broken', 'Bitcoin Up or Down, with a defect?')
  const recorded = [degraded, complete, broken].map(({ market }) => market)
  await list(service, [...open, game])
  await storeFacts(service, [...open, game, ...recorded])
  await degraded.putRows([...degraded.rows(0, 59), ...degraded.rows(80, LAST)])
  await degraded.putGaps([degraded.gap(60, 79), degraded.gap(110, 111, { cause: 'hash_mismatch', kind: 'suspect' })])
  await complete.putRows(complete.rows(0, LAST))
  await broken.putRows([...broken.rows(0, 59), ...broken.rows(80, LAST)])
  await broken.putGaps([broken.gap(60, 70)])
  const wandering = await storePastHour(service, 'wandering')
  await recordSample(service)
  const windows = await recordWindows(service, WINDOWS)
  await count(service)
  const incidentAt = await recordIncident(service)
  const days = await countOlderDays(service, degraded.market.id)
  return { open, game, degraded, complete, broken, wandering, windows, incidentAt, days }
}

function openMarkets(): Market[] {
  return Array.from({ length: OPEN_MARKETS }, (_, index) =>
    madeMarket(`open ${index}`, {
      subcategory: index < 30 ? 'BTC' : 'ETH',
      slug: `open-${index}`,
      venue: index === OPEN_MARKETS - 1 ? 'kalshi' : 'polymarket',
      question: `Will it be above ${60 + index}k?`,
      endsAtMs: WORLD_NOW_MS + (index + 2) * HOUR_MS,
    }),
  )
}

/** As the role catalogue does. */
async function count({ stores, access, nowMs }: TestService): Promise<void> {
  const failed = (error: unknown): void => {
    throw error
  }
  const work = { record: stores.recordedHours, counts: new CoverageCounts(access.database), now: nowMs, failed }
  await countDueDays(work, new AbortController().signal)
}

/** Rows of many days would take long to write, so their sums are saved as the role catalogue saves them. */
async function countOlderDays({ access }: TestService, marketId: string): Promise<RecordedWorld['days']> {
  const counts = new CoverageCounts(access.database)
  const todayMs = Math.floor(WORLD_NOW_MS / DAY_MS) * DAY_MS
  const expected = 345_600
  for (let back = 3; back < COUNTED_DAYS; back++) {
    const dayMs = todayMs - back * DAY_MS
    const missing = missingOf(back, expected)
    const figures = { expected, stored: expected - missing, suspect: back % 11 === 0 ? 4 : 0 }
    const kind = { venue: 'polymarket', category: 'crypto', marketCount: 1, startMs: dayMs }
    const causes = missing === 0 ? {} : { disconnected: missing, late_slot: 1 }
    const worst = missing === 0 ? [] : [{ marketId, ...figures }]
    await counts.save({
      dayMs,
      countedToMs: dayMs + DAY_MS,
      countedAtMs: dayMs + 3 * DAY_MS,
      sums: [{ part: 'day', ...kind, ...figures, causes, worst }],
    })
  }
  const dayOf = (back: number): string => new Date(todayMs - back * DAY_MS).toISOString().slice(0, 10)
  return { today: dayOf(0), available: dayOf(5), degraded: dayOf(9), missing: dayOf(26) }
}

function missingOf(back: number, expected: number): number {
  if (back % 26 === 0) return expected
  if (back % 9 === 0) return 162
  return back % 31 === 0 ? 60_000 : 0
}

/** Gives a market a book, a slot after the last one. */
export async function putBook(service: TestService, market: Market, bid: number): Promise<void> {
  const up = { bids: [{ price: bid, size: 100_000_000 }], asks: [{ price: bid + 200, size: 70_000_000 }] }
  service.clock.nowMs += market.captureIntervalMs
  await putInRedis(service, [madeRow(market, { atMs: service.nowMs(), up })])
}

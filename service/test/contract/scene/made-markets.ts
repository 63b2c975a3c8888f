import { madeMarket as anyMarket, madeRow } from '@bookreel/testbed/service/stored-markets'
import { usdUnitsIn } from '../../../src/domain/decimal.ts'
import type { Market } from '../../../src/domain/market.ts'
import type { PerpSnapshot } from '../../../src/domain/rows/perp-snapshot.ts'
import type { SettlementPoint, SettlementPrice } from '../../../src/domain/rows/settlement-price.ts'
import type { Snapshot } from '../../../src/domain/rows/snapshot.ts'
import { listedMarkets, pastWindows, rowsOfListed } from './listed-markets.ts'
import { madePerpRows } from './perp-rows.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const INTERVAL_MS = 250
const CLOSED_ROWS = 40
/** Two snapshots each: more than the largest `limit`. */
const LONG_ROWS = 260

export interface MadeMarkets {
  readonly closed: Market
  readonly closedOther: Market
  readonly old: Market
  /** Not in PostgreSQL; its facts and rows are in ClickHouse. */
  readonly forgotten: Market
  /** Only its rows are stored. */
  readonly rowsOnly: Market
  /** Past its end and not resolved, with a fresh row in the cache. */
  readonly settling: Market
  /** Live, of a coin without a spot price. */
  readonly unpriced: Market
  readonly silent: Market
  readonly long: Market
  /** Its newest row, in the cache, is never renewed. */
  readonly frozen: Market
  /** Live, of another venue. */
  readonly theirs: Market
  readonly madeAtMs: number
  readonly perps: readonly PerpSnapshot[]
  readonly listed: readonly Market[]
  readonly facts: readonly Market[]
  readonly resolutions: readonly { marketId: string; winner: 0 | 1; resolvedAtMs: number }[]
  /** Of the closed market. */
  readonly settlements: readonly SettlementPrice[]
  /** Stored. */
  readonly rows: readonly Snapshot[]
  /** In the cache. */
  readonly newest: readonly Snapshot[]
}

/** Markets that are not simulated, in states that would take hours to reach. */
export function madeMarkets(nowMs: number): MadeMarkets {
  const window = (endsAgoMs: number) => {
    const endsAtMs = Math.floor((nowMs - endsAgoMs) / (15 * MINUTE_MS)) * 15 * MINUTE_MS
    return { startsAtMs: endsAtMs - 15 * MINUTE_MS, endsAtMs }
  }
  const madeMarket = (name: string, changed: Partial<Market>): Market =>
    anyMarket(name, { startsAtMs: nowMs - HOUR_MS, endsAtMs: nowMs + 24 * HOUR_MS, ...changed })
  const sport = { category: 'sports', subcategory: 'NBA', timeframe: 'game', planId: 'sports' } as const
  const upDown = { timeframe: '15m', outcomeNames: ['Up', 'Down'] } as const
  const closed = madeMarket('contract closed', {
    slug: 'contract-closed',
    ...upDown,
    ...window(HOUR_MS),
    groupId: '0xneg',
  })
  const closedOther = madeMarket('contract closed other', { slug: 'finished-game', ...sport, ...window(HOUR_MS) })
  const old = madeMarket('contract old', { slug: 'contract-old', ...upDown, ...window(40 * HOUR_MS) })
  const forgotten = madeMarket('contract forgotten', {
    slug: 'contract-forgotten',
    ...upDown,
    ...window(2 * HOUR_MS),
  })
  const rowsOnly = madeMarket('contract rows only', { ...upDown, ...window(2 * HOUR_MS) })
  const settlingTimes = { startsAtMs: nowMs - 16 * MINUTE_MS, endsAtMs: nowMs - MINUTE_MS }
  const settling = madeMarket('contract settling', {
    slug: `doge-updown-15m-${Math.floor(settlingTimes.startsAtMs / 1_000)}`,
    ...upDown,
    subcategory: 'DOGE',
    ...settlingTimes,
  })
  const unpriced = madeMarket('contract unpriced', { slug: 'bnb-without-a-spot-price' })
  const silent = madeMarket('contract silent', { slug: 'contract-silent' })
  const long = madeMarket('contract long', { slug: 'contract-long', ...upDown, ...window(3 * HOUR_MS) })
  // The simulated world is too small to have them.
  const open = (subcategory: string, timeframe: string, lengthMs: number): Market => {
    const slug = `contract-open-${subcategory}-${timeframe}`
    const times = { startsAtMs: nowMs - lengthMs / 2, endsAtMs: nowMs + lengthMs / 2 }
    return madeMarket(slug, { slug, ...upDown, subcategory, timeframe, ...times })
  }
  const windows = [
    open('BTC', '15m', 15 * MINUTE_MS),
    open('BTC', '4h', 4 * HOUR_MS),
    open('BTC', '1d', 24 * HOUR_MS),
    open('SOL', '1h', HOUR_MS),
    open('XRP', '1h', HOUR_MS),
    { ...open('BNB', '15m', 15 * MINUTE_MS), startsAtMs: nowMs - MINUTE_MS, endsAtMs: nowMs + HOUR_MS },
  ]
  const theirs = madeMarket('contract theirs', {
    venue: 'kalshi',
    slug: 'kx-contract',
    tokenIds: ['KX-CONTRACT:yes', 'KX-CONTRACT:no'],
  })
  const frozen = madeMarket('contract frozen', { slug: 'frozen-book', subcategory: 'ETH' })
  const [live, ended] = [listedMarkets(nowMs), pastWindows(nowMs)]
  const newest = [...windows, frozen, theirs].flatMap((market) =>
    [1, 2, 3, 4, 5].map((index) => madeRow(market, { atMs: nowMs - index * INTERVAL_MS, spotUsd: 100.5 })),
  )
  newest.push(madeRow(settling, { atMs: nowMs - INTERVAL_MS, spotUsd: 0.25 }))
  newest.push(madeRow(unpriced, { atMs: nowMs - INTERVAL_MS }))
  const past = [closed, closedOther, old, long, ...ended]
  const resolutions = past.map(
    ({ id, endsAtMs }) => ({ marketId: id, winner: 0, resolvedAtMs: endsAtMs + 1_000 }) as const,
  )
  const rows = [closed, closedOther, old, long, forgotten, rowsOnly].flatMap((market) =>
    Array.from({ length: market === long ? LONG_ROWS : CLOSED_ROWS }, (_, index) => {
      const atMs = market.startsAtMs === undefined ? 0 : market.startsAtMs + MINUTE_MS + index * INTERVAL_MS
      const up = {
        bids: [{ price: 4_800 + index, size: 100_500_000 + index }],
        asks: [{ price: 5_100 + index, size: 70_000_000 }],
      }
      return madeRow(market, {
        atMs,
        up,
        ...(market.category === 'crypto' && index > 0 && { spotUsd: 600.25 + index }),
      })
    }),
  )
  const settlements = settlementsOf(closed, { priceToBeat: 600, settlementPrice: 610 })
  const unlisted = { forgotten, rowsOnly }
  const markets = { closed, closedOther, old, ...unlisted, settling, unpriced, silent, long, frozen, theirs }
  const listed = [theirs, ...past, settling, unpriced, silent, ...windows, frozen, ...live]
  const facts = [theirs, ...past, forgotten, ...live]
  const allRows = [...rows, ...rowsOfListed([...live, ...ended, theirs], nowMs)]
  const prices = { perps: madePerpRows(nowMs), settlements }
  return { ...markets, ...prices, listed, facts, resolutions, rows: allRows, newest, madeAtMs: nowMs }
}

/** As the venue states them, in whole dollars. */
function settlementsOf(
  { id, startsAtMs = 0, endsAtMs }: Market,
  { priceToBeat, settlementPrice }: { priceToBeat: number; settlementPrice: number },
): SettlementPrice[] {
  const statedAt = (point: SettlementPoint, settlesAtMs: number, usd: number): SettlementPrice => {
    const price = usdUnitsIn(String(usd)) ?? 0n
    const times = { settlesAtMs, priceAtMs: settlesAtMs, knownAtMs: settlesAtMs + MINUTE_MS }
    return { marketId: id, point, source: 'polymarket', price, ...times }
  }
  return [statedAt('start', startsAtMs, priceToBeat), statedAt('end', endsAtMs, settlementPrice)]
}

/** All values for names in braces in a request. */
export function namesOf(made: MadeMarkets, live: Market, other: Market, nowMs: number): Record<string, string> {
  const capturedAtMs = (market: Market, index: number): number =>
    made.rows.filter(({ marketId }) => marketId === market.id)[index]?.capturedAtMs ?? 0
  const instant = (ms: number): string => new Date(ms).toISOString()
  const markets = {
    live,
    other,
    closed: made.closed,
    closed_other: made.closedOther,
    old: made.old,
    forgotten: made.forgotten,
    rows_only: made.rowsOnly,
    settling: made.settling,
    unpriced: made.unpriced,
    silent: made.silent,
    long: made.long,
    frozen: made.frozen,
    theirs: made.theirs,
  }
  const ofMarkets = Object.entries(markets).flatMap(([name, { id, slug }]): [string, string][] => [
    [name, id],
    [`${name}.slug`, slug],
  ])
  return {
    ...Object.fromEntries(ofMarkets),
    unknown: `0x${'f'.repeat(64)}`,
    'live.event': live.eventSlug,
    'live.upper': `0x${live.id.slice(2).toUpperCase()}`,
    'row.first': instant(capturedAtMs(made.closed, 0)),
    'row.3': instant(capturedAtMs(made.closed, 3)),
    'row.3.ms': String(capturedAtMs(made.closed, 3)),
    'row.7': instant(capturedAtMs(made.closed, 7)),
    'row.7.ms': String(capturedAtMs(made.closed, 7)),
    'row.7.offset': instant(capturedAtMs(made.closed, 7) + 2 * HOUR_MS).replace('Z', '+02:00'),
    'row.7.later': instant(capturedAtMs(made.closed, 7) + 100),
    'row.7.sooner': instant(capturedAtMs(made.closed, 7) - 100),
    'closed.start.s': String((made.closed.startsAtMs ?? 0) / 1_000),
    'frozen.captured.ms': String(
      Math.max(...made.newest.flatMap((row) => (row.marketId === made.frozen.id ? [row.capturedAtMs] : []))),
    ),
    'made.ms': String(made.madeAtMs),
    'long.first': instant(capturedAtMs(made.long, 0)),
    'perp.first': instant(made.perps[0]?.capturedAtMs ?? 0),
    'perp.first.ms': String(made.perps[0]?.capturedAtMs ?? 0),
    'perp.3': instant(made.perps[3]?.capturedAtMs ?? 0),
    'perp.7': instant(made.perps[7]?.capturedAtMs ?? 0),
    'perp.end': instant((made.perps.at(-1)?.capturedAtMs ?? 0) + 1),
    'closed.start.ms': String(made.closed.startsAtMs ?? 0),
    'closed.last.ms': String(made.closed.endsAtMs - 1),
    'closed.end.s': String(made.closed.endsAtMs / 1_000),
    'forgotten.start.s': String((made.forgotten.startsAtMs ?? 0) / 1_000),
    'settling.last.ms': String(made.settling.endsAtMs - 1),
    'forgotten.row.7': instant(capturedAtMs(made.forgotten, 7)),
    // A market that only rows know has the same times.
    'forgotten.hour': instant(Math.floor((made.forgotten.startsAtMs ?? 0) / HOUR_MS) * HOUR_MS),
    'old.first': instant(capturedAtMs(made.old, 0)),
    two_seconds_ago: instant(nowMs - 2_000),
    ten_seconds_ago: instant(nowMs - 10_000),
    a_day_and_a_minute_ago: instant(nowMs - 24 * HOUR_MS - MINUTE_MS),
    almost_a_day_ago: instant(nowMs - 24 * HOUR_MS + 10 * MINUTE_MS),
    two_days_ago: instant(nowMs - 48 * HOUR_MS),
    'now.s': String(Math.floor(nowMs / 1_000)),
    hour: instant(Math.floor((made.closed.startsAtMs ?? 0) / HOUR_MS) * HOUR_MS),
  }
}

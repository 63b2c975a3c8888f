import { DAY_MS, type ListedMarket } from '../../domain/day-file.ts'
import { perpMarketId, perpOf } from '../../domain/rows/perp-snapshot.ts'
import { readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { type AccountedMarket, accountMarkets, TOUCHES_DAY } from './day-accounts.ts'
import { type DayMarketStore, IDS_PER_QUERY, listedMarkets } from './day-markets.ts'
import { dayParams, inDay } from './day-parquet.ts'
import type { FileSource } from './file-subject.ts'
import { gapSubject, type ListedGaps } from './gap-subject.ts'
import { type Perp, perpDayOf } from './perp-day.ts'

type MarketWithGaps = ListedMarket & AccountedMarket

const WITH_GAPS = `SELECT market_id FROM gaps WHERE ${TOUCHES_DAY} GROUP BY market_id ORDER BY market_id`

/** Days are found by their rows: a day on which nothing was recorded lies between days with rows. */
const noDays = async (): Promise<number[]> => []

/** One file for each venue of binary markets that has rows or gap records on the day. */
export function marketGapFiles(client: ClickHouseReads, dayMarkets: DayMarketStore): FileSource {
  return {
    daysBefore: noDays,
    async subjectsOf(dayMs) {
      const [withGaps, { markets }] = await Promise.all([idsWithGaps(client, dayMs), dayMarkets.marketsOf(dayMs)])
      const ids = withGaps.filter((id) => perpOf(id) === undefined)
      const listed = await listedMarkets(client, ids)
      const spans = new Map(markets.map((market) => [market.marketId, market]))
      const found = ids.flatMap((id): MarketWithGaps[] => {
        const market = listed.get(id)
        return market === undefined ? [] : [{ ...spans.get(id), ...market }]
      })
      const byVenue = Map.groupBy(found, ({ venue }) => venue)
      const venues = [...new Set([...found, ...markets].map(({ venue }) => venue))].toSorted()
      const subjects = venues.map((venue) => {
        const own = byVenue.get(venue) ?? []
        const rowIds = markets.filter((market) => market.venue === venue).map(({ marketId }) => marketId)
        return gapSubject({
          venue,
          dayMs,
          marketIds: [...new Set([...rowIds, ...own.map(({ marketId }) => marketId)])].toSorted(),
          read: (reads, signal) => readMarkets(reads, own, dayMs, signal),
        })
      })
      return { subjects, unlisted: ids.filter((id) => !listed.has(id)) }
    },
  }
}

async function* readMarkets(
  client: ClickHouseReads,
  markets: readonly MarketWithGaps[],
  dayMs: number,
  signal: AbortSignal,
): AsyncGenerator<ListedGaps> {
  for (let at = 0; at < markets.length; at += IDS_PER_QUERY) {
    const part = markets.slice(at, at + IDS_PER_QUERY)
    const coins = new Map(part.map(({ marketId, coin }) => [marketId, coin === '' ? null : coin]))
    for (const { marketId, gaps, tradeGaps } of await accountMarkets(client, part, dayMs, signal))
      yield { marketId, coin: coins.get(marketId) ?? null, gaps: [...gaps, ...tradeGaps] }
  }
}

/** One file for each venue of perps that has books or gap records on the day. */
export function perpGapFiles(client: ClickHouseReads): FileSource {
  return {
    daysBefore: noDays,
    async subjectsOf(dayMs) {
      const [withGaps, withRows] = await Promise.all([idsWithGaps(client, dayMs), perpsWithBooks(client, dayMs)])
      const ids = new Set([...withGaps, ...withRows.map(({ venue, symbol }) => perpMarketId(venue, symbol))])
      const perps = [...ids].toSorted().flatMap((id) => perpOf(id) ?? [])
      const byVenue = [...Map.groupBy(perps, ({ venue }) => venue)]
      const subjects = byVenue.map(([venue, own]) =>
        gapSubject({ venue, dayMs, marketIds: [], read: (reads, signal) => readPerps(reads, own, dayMs, signal) }),
      )
      return { subjects, unlisted: [] }
    },
  }
}

async function* readPerps(
  client: ClickHouseReads,
  perps: readonly Perp[],
  dayMs: number,
  signal: AbortSignal,
): AsyncGenerator<ListedGaps> {
  for (const perp of perps) {
    const { gaps, tradeGaps } = await perpDayOf(client, perp, dayMs, signal)
    yield { marketId: null, coin: perp.symbol, gaps: [...gaps, ...tradeGaps] }
  }
}

function idsWithGaps(client: ClickHouseReads, dayMs: number): Promise<string[]> {
  return readRows(client, (reader) => reader.hexBytes(32), { sql: WITH_GAPS, params: dayParams(dayMs) })
}

function perpsWithBooks(client: ClickHouseReads, dayMs: number): Promise<Perp[]> {
  return readRows(client, (reader) => ({ venue: reader.string(), symbol: reader.string() }), {
    sql: `SELECT toString(venue), toString(symbol) FROM perp_snapshots WHERE ${inDay('slot_at')} GROUP BY 1, 2`,
    params: dayParams(dayMs),
  })
}

/** Days that a gap record touches which was found at this time or later: an outage may be longer than a day. */
export async function daysOfGapsKnownSince(client: ClickHouseReads, sinceMs: number): Promise<number[]> {
  const days = await readRows(client, (reader) => reader.uint32(), {
    sql: `SELECT DISTINCT arrayJoin(range(
        toUInt32(intDiv(from_slot * interval_ms, ${DAY_MS})), toUInt32(intDiv(to_slot * interval_ms, ${DAY_MS}) + 1)
      )) FROM gaps WHERE known_at_slot * interval_ms >= {sinceMs:Int64}`,
    params: { sinceMs },
  })
  return days.map((day) => day * DAY_MS)
}

import { type DayMarket, groupsOf, type MarketGroup, TOKENS } from '../../domain/day-file.ts'
import type { Proof } from '../../domain/proof.ts'
import { TRADES_KIND } from '../../domain/rows/gap.ts'
import { IN_MARKETS } from '../books/read-rows.ts'
import { tokenMembersSql } from '../books/token-rows-sql.ts'
import { accountForDay } from './day-accounts.ts'
import { type DayMarketStore, marketsParam } from './day-markets.ts'
import { dayParams, dayParquet, inDay } from './day-parquet.ts'
import { type FileSource, type FileSubject, hasMarkets } from './file-subject.ts'

const HEX = 'lower(hex(market_id))'

/** A set of slots is looked up once per row, however many gaps there are. */
const SUSPECT_SLOTS = `
  SELECT market_id, interval_ms, arrayJoin(range(
    greatest(from_slot, toUInt64(intDiv({fromMs:Int64}, interval_ms))),
    least(to_slot + 1, toUInt64(intDiv({toMs:Int64}, interval_ms)) + 1)
  ))
  FROM gaps WHERE ${IN_MARKETS} AND kind NOT IN ('missing', '${TRADES_KIND}')
    AND from_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC') AND (to_slot + 1) * interval_ms > {fromMs:Int64}`

/** The rows come in the order of the primary key, one block after the other in one thread. */
const QUERY = tokenMembersSql(
  {
    conditionId: `concat('0x', ${HEX})`,
    upTokenId: `transform(${HEX}, {markets:Array(String)}, {upTokens:Array(String)}, '')`,
    downTokenId: `transform(${HEX}, {markets:Array(String)}, {downTokens:Array(String)}, '')`,
    isSuspect: `(market_id, interval_ms, slot) GLOBAL IN (${SUSPECT_SLOTS})`,
  },
  true,
  `FROM (
      SELECT * FROM snapshots WHERE ${IN_MARKETS} AND ${inDay('slot_at')}
      ORDER BY market_id, slot LIMIT 1 BY market_id, slot
    )
    ARRAY JOIN [0, 1] AS outcome`,
)

/** The books of all windows of a series, or of one other market, by market and slot. */
export function bookFiles(dayMarkets: DayMarketStore, proofOf: (venue: string) => Proof): FileSource {
  return {
    daysBefore: (dayMs) => dayMarkets.daysBefore(dayMs),
    async subjectsOf(dayMs) {
      const { markets, unlisted } = await dayMarkets.marketsOf(dayMs)
      return { subjects: groupsOf(markets).map((group) => subjectOf(group, dayMs, proofOf(group.venue))), unlisted }
    },
  }
}

function subjectOf(group: MarketGroup<DayMarket>, dayMs: number, proof: Proof): FileSubject {
  const { isSeries, markets, ...facts } = group
  const storedRows = TOKENS * markets.reduce((sum, { storedSlots }) => sum + storedSlots, 0)
  const marketIds = markets.map(({ marketId }) => marketId)
  return {
    ...facts,
    kind: isSeries ? 'series' : 'market',
    marketIds,
    dayMs,
    account: (client, signal) => accountForDay(client, markets, dayMs, signal),
    parquet: (client, signal) =>
      dayParquet(client, { sql: QUERY, params: { ...tokenParams(markets), ...dayParams(dayMs), proof } }, signal),
    isIn: async (made) => made.rows === storedRows && hasMarkets({ marketIds }, made),
  }
}

/** Ids of the markets and of their tokens. */
export function tokenParams(markets: readonly Pick<DayMarket, 'marketId' | 'tokenIds'>[]) {
  return {
    markets: marketsParam(markets.map(({ marketId }) => marketId)),
    upTokens: markets.map(({ tokenIds }) => tokenIds[0]),
    downTokens: markets.map(({ tokenIds }) => tokenIds[1]),
  }
}

import { PRICE_ONE } from '../../domain/book.ts'
import { groupsOf, type ListedMarket, type MarketGroup } from '../../domain/day-file.ts'
import { SIZE_ONE } from '../../domain/decimal.ts'
import { NO_TRANSACTION } from '../../domain/rows/trade.ts'
import { IN_MARKETS, readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { tokenParams } from './book-files.ts'
import { type AccountedMarket, accountMarkets, countByCause, isAccounted } from './day-accounts.ts'
import { type DayMarketStore, listedMarkets, marketsParam } from './day-markets.ts'
import { dayParams, dayParquet, inDay } from './day-parquet.ts'
import { daysWithRows } from './days-with-rows.ts'
import { type DayAccount, type FileSource, type FileSubject, hasMarkets, hasRows } from './file-subject.ts'

type TradedMarket = ListedMarket & AccountedMarket & { readonly storedTrades: number }

const KEY = 'market_id, traded_at, transaction_hash, outcome, is_buy, price, size, occurrence'
const HEX = 'lower(hex(stored.market_id))'
const TRANSACTION = `concat('0x', lower(hex(stored.transaction_hash)))`
const tokens = (name: string) => `transform(${HEX}, {markets:Array(String)}, {${name}:Array(String)}, '')`

/** The members of the list of trades, in its order. */
const QUERY = `
  SELECT
    concat('0x', ${HEX}) AS market_id,
    if(outcome = 0, ${tokens('upTokens')}, ${tokens('downTokens')}) AS token_id,
    if(outcome = 0, 'UP', 'DOWN') AS side,
    if(is_buy = 1, 'buy', 'sell') AS action,
    stored.price / ${PRICE_ONE} AS price,
    stored.size / ${SIZE_ONE} AS size,
    traded_at,
    received_at,
    if(${TRANSACTION} = '${NO_TRANSACTION}', NULL, ${TRANSACTION}) AS transaction_hash,
    toInt64(stored.occurrence) AS occurrence
  FROM (
    SELECT * FROM trades WHERE ${IN_MARKETS} AND ${inDay('traded_at')}
    ORDER BY ${KEY}, received_at LIMIT 1 BY ${KEY}
  ) AS stored`

const COUNT = `
  SELECT uniqExact(${KEY}), toUInt64(toUnixTimestamp64Milli(min(traded_at))), toUInt64(toUnixTimestamp64Milli(max(traded_at)))
  FROM trades WHERE ${IN_MARKETS} AND ${inDay('traded_at')}`

/** The trades of all windows of a series, or of one other market, by market and time. */
export function tradeFiles(client: ClickHouseReads, dayMarkets: DayMarketStore): FileSource {
  return {
    daysBefore: (dayMs) => daysWithRows(client, { table: 'trades', time: 'traded_at' }, dayMs),
    async subjectsOf(dayMs) {
      const traded = await readRows(client, (reader) => ({ id: reader.hexBytes(32), storedTrades: reader.uint64() }), {
        sql: `SELECT market_id, count() FROM trades WHERE ${inDay('traded_at')} GROUP BY market_id ORDER BY market_id`,
        params: dayParams(dayMs),
      })
      const ids = traded.map(({ id }) => id)
      const [listed, { markets }] = await Promise.all([listedMarkets(client, ids), dayMarkets.marketsOf(dayMs)])
      // Trades come until some time after the last book of their market.
      const spans = new Map(markets.map((market) => [market.marketId, market]))
      const found = traded.flatMap(({ id, storedTrades }): TradedMarket[] => {
        const market = listed.get(id)
        return market === undefined ? [] : [{ ...spans.get(id), ...market, storedTrades }]
      })
      const subjects = groupsOf(found).map((group) => subjectOf(group, dayMs))
      return { subjects, unlisted: ids.filter((id) => !listed.has(id)) }
    },
  }
}

function subjectOf({ name, markets, ...facts }: MarketGroup<TradedMarket>, dayMs: number): FileSubject {
  const storedRows = markets.reduce((sum, { storedTrades }) => sum + storedTrades, 0)
  const { isSeries: _, ...entry } = facts
  const subject: FileSubject = {
    ...entry,
    name: `${name}-trades`,
    kind: 'trades',
    marketIds: markets.map(({ marketId }) => marketId),
    dayMs,
    account: (client, signal) => accountOf(client, markets, dayMs, signal),
    parquet: (client, signal) =>
      dayParquet(client, { sql: QUERY, params: { ...tokenParams(markets), ...dayParams(dayMs) } }, signal),
    isIn: async (made, client, signal) =>
      hasMarkets(subject, made) && hasRows(subject, storedRows, made, client, signal),
  }
  return subject
}

/** Trades have no slots; while books of the same markets are missing, trades may be too. */
async function accountOf(
  client: ClickHouseReads,
  markets: readonly TradedMarket[],
  dayMs: number,
  signal: AbortSignal,
): Promise<DayAccount> {
  const params = { markets: marketsParam(markets.map(({ marketId }) => marketId)), ...dayParams(dayMs) }
  const [[counted], accounts] = await Promise.all([
    readRows(client, (reader) => ({ rows: reader.uint64(), firstAtMs: reader.uint64(), lastAtMs: reader.uint64() }), {
      sql: COUNT,
      params,
      signal,
    }),
    accountMarkets(client, markets, dayMs, signal),
  ])
  return {
    ...(counted ?? { rows: 0, firstAtMs: dayMs, lastAtMs: dayMs }),
    isComplete: isAccounted(accounts),
    gaps: countByCause(accounts.flatMap(({ gaps, tradeGaps }) => [...gaps, ...tradeGaps])),
  }
}

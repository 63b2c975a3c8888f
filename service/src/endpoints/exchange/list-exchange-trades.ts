import { z } from 'zod'
import { PERP_DECIMALS } from '../../domain/rows/perp-snapshot.ts'
import type { PerpTrade } from '../../domain/rows/perp-trade.ts'
import { NO_TRANSACTION } from '../../domain/rows/trade.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { CursorTime, decodeCursor, encodeCursor } from '../shared/cursor.ts'
import { accountOf, PerpPageQuery, perpPageMembers, perpPageOf, RESTRICTION, timeOfPage } from '../shared/perp-page.ts'

const ONE = 10 ** PERP_DECIMALS

const PerpTradeEntry = z
  .object({
    exchange: z.string(),
    symbol: z.string(),
    trade_id: z.int().describe('the venue’s number of the trade; unique with the symbol'),
    action: z.enum(['buy', 'sell']).describe('what the taker did'),
    price: z.number(),
    size: z.number().describe('coins'),
    traded_at: Instant.describe('time of the trade, from the venue'),
    received_at: Instant.describe('time of receipt; after a lost connection the venue repeats the last trades'),
    transaction_hash: z.string().nullable().describe('null for a trade without a transaction of a user'),
  })
  .meta({ id: 'PerpTrade' })

const PerpTrades = z.object({ ...perpPageMembers, trades: z.array(PerpTradeEntry) })

export const listExchangeTrades = endpoint({
  method: 'GET',
  path: '/v1/exchange/trades',
  name: 'list_exchange_trades',
  group: 'Exchange',
  summary: 'List the trades of a perpetual future',
  description: `Each trade once, from the taker’s side, by the venue’s time. ${RESTRICTION}`,
  access: { by: 'key', scope: 'history' },
  query: PerpPageQuery,
  reply: PerpTrades,
  errors: ['tier_not_allowed'],
  table: { columns: Object.keys(PerpTradeEntry.shape), rows: ({ trades }) => trades, inRows: ['trades'] },

  async handle(request) {
    const { query, perps, signal } = request
    const page = await perpPageOf(request, 'perp_trades')
    const { perp, order, range, members } = page
    const list = `exchange trades ${perp.venue} ${perp.symbol} ${order}`
    const [afterMs, afterId] = decodeCursor(query.cursor, list, z.tuple([CursorTime, z.int()])) ?? []
    const after = afterMs === undefined || afterId === undefined ? undefined : { tradedAtMs: afterMs, tradeId: afterId }
    const limit = query.limit + 1
    const found = range === undefined ? [] : await perps.trades({ ...perp, ...range }, { order, limit, after }, signal)
    const shown = found.slice(0, query.limit)
    const last = found.length > shown.length ? shown.at(-1) : undefined
    const account = await accountOf(perps, perp, timeOfPage(page, afterMs, last?.tradedAtMs))
    const whyEmpty = page.emptyReason ?? (account.coverage.share === 0 ? 'gap' : 'no_trades')
    const emptyReason = shown.length > 0 ? undefined : whyEmpty
    return {
      body: {
        ...members,
        trades: shown.map(entryOf),
        next_cursor: last === undefined ? null : encodeCursor(list, [last.tradedAtMs, last.tradeId]),
        ...account,
        ...(emptyReason && { empty_reason: emptyReason }),
      },
      emptyReason,
    }
  },
})

function entryOf(trade: PerpTrade): z.infer<typeof PerpTradeEntry> {
  return {
    exchange: `${trade.venue}_perp`,
    symbol: trade.symbol,
    trade_id: trade.tradeId,
    action: trade.side === 'BUY' ? 'buy' : 'sell',
    price: trade.price / ONE,
    size: trade.size / ONE,
    traded_at: instantOf(trade.tradedAtMs),
    received_at: instantOf(trade.receivedAtMs),
    transaction_hash: trade.transactionHash === NO_TRANSACTION ? null : trade.transactionHash,
  }
}

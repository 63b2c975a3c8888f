import { z } from 'zod'
import { usdOf } from '../../domain/decimal.ts'
import type { PerpContext } from '../../domain/rows/perp-context.ts'
import { endpoint } from '../endpoint.ts'
import { contextHead, contextHeadOf, contextPageOf, ON_CHANGE } from '../shared/perp-contexts.ts'
import { PerpPageQuery, perpPageMembers, RESTRICTION } from '../shared/perp-page.ts'

const OfBook = z.number().nullable()

const PerpPriceEntry = z
  .object({
    ...contextHead,
    mark_price: z.number().describe('price by which the venue values positions'),
    oracle_price: z.number().describe('spot price that the venue uses; basis of the funding rate'),
    oracle_source: z.string().describe('who sets the oracle price'),
    mid_price: OfBook.describe('middle of the book, from the venue; null without a book'),
    impact_bid: OfBook.describe('mean price of selling an amount that the venue fixes; null without a book'),
    impact_ask: OfBook.describe('mean price of buying that amount; null without a book'),
    previous_day_price: z.number().describe('price of 24 hours before'),
  })
  .meta({ id: 'PerpPrice' })

export const listExchangePrices = endpoint({
  method: 'GET',
  path: '/v1/exchange/prices',
  name: 'list_exchange_prices',
  group: 'Exchange',
  summary: 'List the mark, oracle and mid prices of a perpetual future',
  description: `${ON_CHANGE} ${RESTRICTION}`,
  access: { by: 'key', scope: 'history' },
  query: PerpPageQuery,
  reply: z.object({ ...perpPageMembers, prices: z.array(PerpPriceEntry) }),
  errors: ['tier_not_allowed'],
  table: { columns: Object.keys(PerpPriceEntry.shape), rows: ({ prices }) => prices, inRows: ['prices'] },

  async handle(request) {
    const { rows, members, emptyReason } = await contextPageOf(request)
    return { body: { ...members, prices: rows.map(entryOf) }, emptyReason }
  },
})

function entryOf(row: PerpContext): z.infer<typeof PerpPriceEntry> {
  const { book } = row
  return {
    ...contextHeadOf(row),
    mark_price: usdOf(row.markPrice),
    oracle_price: usdOf(row.oraclePrice),
    oracle_source: `${row.venue}_validators`,
    mid_price: book === undefined ? null : usdOf(book.midPrice),
    impact_bid: book === undefined ? null : usdOf(book.impactBid),
    impact_ask: book === undefined ? null : usdOf(book.impactAsk),
    previous_day_price: usdOf(row.previousDayPrice),
  }
}

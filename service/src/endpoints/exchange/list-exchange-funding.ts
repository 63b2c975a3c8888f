import { z } from 'zod'
import { usdOf } from '../../domain/decimal.ts'
import type { PerpContext } from '../../domain/rows/perp-context.ts'
import { endpoint } from '../endpoint.ts'
import { contextHead, contextHeadOf, contextPageOf, ON_CHANGE } from '../shared/perp-contexts.ts'
import { PerpPageQuery, perpPageMembers, RESTRICTION } from '../shared/perp-page.ts'

const FundingEntry = z
  .object({
    ...contextHead,
    funding_rate: z
      .number()
      .describe('rate of one hour as a fraction, 0.0000125 is 0.00125 %; longs pay shorts when it is positive'),
    premium: z
      .number()
      .nullable()
      .describe('impact price relative to the oracle price, as a fraction; null without a book'),
  })
  .meta({ id: 'Funding' })

export const listExchangeFunding = endpoint({
  method: 'GET',
  path: '/v1/exchange/funding',
  name: 'list_exchange_funding',
  group: 'Exchange',
  summary: 'List the funding rates of a perpetual future',
  description: `${ON_CHANGE} ${RESTRICTION}`,
  access: { by: 'key', scope: 'history' },
  query: PerpPageQuery,
  reply: z.object({ ...perpPageMembers, funding: z.array(FundingEntry) }),
  errors: ['tier_not_allowed'],
  table: { columns: Object.keys(FundingEntry.shape), rows: ({ funding }) => funding, inRows: ['funding'] },

  async handle(request) {
    const { rows, members, emptyReason } = await contextPageOf(request)
    return { body: { ...members, funding: rows.map(entryOf) }, emptyReason }
  },
})

function entryOf(row: PerpContext): z.infer<typeof FundingEntry> {
  return {
    ...contextHeadOf(row),
    funding_rate: usdOf(row.funding),
    premium: row.book === undefined ? null : usdOf(row.book.premium),
  }
}

import { z } from 'zod'
import { usdOf } from '../../domain/decimal.ts'
import type { PerpContext } from '../../domain/rows/perp-context.ts'
import { endpoint } from '../endpoint.ts'
import { contextHead, contextHeadOf, contextPageOf, ON_CHANGE } from '../shared/perp-contexts.ts'
import { PerpPageQuery, perpPageMembers, RESTRICTION } from '../shared/perp-page.ts'

const OpenInterestEntry = z
  .object({
    ...contextHead,
    open_interest: z.number().describe('coins in open positions, one side counted'),
    open_interest_usd: z.number().describe('`open_interest` times the mark price'),
    day_volume: z.number().describe('coins traded in 24 hours'),
    day_notional_usd: z.number().describe('their value in USD'),
  })
  .meta({ id: 'OpenInterest' })

export const listExchangeOpenInterest = endpoint({
  method: 'GET',
  path: '/v1/exchange/open-interest',
  name: 'list_exchange_open_interest',
  group: 'Exchange',
  summary: 'List the open interest of a perpetual future',
  description: `${ON_CHANGE} ${RESTRICTION}`,
  access: { by: 'key', scope: 'history' },
  query: PerpPageQuery,
  reply: z.object({ ...perpPageMembers, open_interest: z.array(OpenInterestEntry) }),
  errors: ['tier_not_allowed'],
  table: {
    columns: Object.keys(OpenInterestEntry.shape),
    rows: ({ open_interest }) => open_interest,
    inRows: ['open_interest'],
  },

  async handle(request) {
    const { rows, members, emptyReason } = await contextPageOf(request)
    return { body: { ...members, open_interest: rows.map(entryOf) }, emptyReason }
  },
})

function entryOf(row: PerpContext): z.infer<typeof OpenInterestEntry> {
  return {
    ...contextHeadOf(row),
    open_interest: usdOf(row.openInterest),
    open_interest_usd: usdOf(row.openInterest) * usdOf(row.markPrice),
    day_volume: usdOf(row.dayVolume),
    day_notional_usd: usdOf(row.dayNotional),
  }
}

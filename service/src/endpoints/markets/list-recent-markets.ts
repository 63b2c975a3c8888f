import { endpoint } from '../endpoint.ts'
import { HistoryQuery, HistoryReply, historyTable, listHistory, renderHistory } from '../shared/history-list.ts'

export const listRecentMarkets = endpoint({
  method: 'GET',
  path: '/v1/markets/history/recent',
  name: 'list_recent_markets',
  group: 'Markets',
  summary: 'Every market that was recorded, with how much of it, as of now',
  description: 'With `limit` and `cursor` page by page, the market recorded last first; with `since` only what is new.',
  access: { by: 'key', scope: 'history' },
  query: HistoryQuery,
  reply: HistoryReply,
  errors: [],
  table: historyTable,
  render: renderHistory,

  async handle(request) {
    const { body, aside, emptyReason } = await listHistory(request, 0)
    return { body, aside, emptyReason }
  },
})

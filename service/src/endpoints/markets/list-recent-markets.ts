import { endpoint } from '../endpoint.ts'
import { HistoryQuery, HistoryReply, historyTable, listHistory, renderHistory } from '../shared/history-list.ts'

export const listRecentMarkets = endpoint({
  method: 'GET',
  path: '/v1/markets/history/recent',
  name: 'list_recent_markets',
  group: 'Markets',
  summary: 'List all recorded markets with their number of snapshots, without a cache',
  description:
    'Newest market first. `limit` and `cursor` read it page by page; `since` returns only markets recorded since then.',
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

import { endpoint } from '../endpoint.ts'
import { HistoryQuery, HistoryReply, historyTable, listHistory, streamHistory } from '../shared/history-list.ts'

/** All callers share one list. */
const MAX_AGE_MS = 2_000

export const listRecentMarkets = endpoint({
  method: 'GET',
  path: '/v1/markets/history/recent',
  name: 'list_recent_markets',
  group: 'Markets',
  summary: 'List all recorded markets with their number of snapshots; at most 2 seconds old',
  description:
    'Newest market first. `limit` and `cursor` read it page by page; `since` returns only markets recorded since then.',
  access: { by: 'key', scope: 'history' },
  query: HistoryQuery,
  reply: HistoryReply,
  errors: [],
  table: historyTable,

  handle: (request) => listHistory(request, MAX_AGE_MS),
  stream: (request) => streamHistory(request, MAX_AGE_MS),
})

import { endpoint } from '../endpoint.ts'
import { HistoryQuery, HistoryReply, historyTable, listHistory, renderHistory } from '../shared/history-list.ts'

const MAX_AGE_MS = 30_000

export const listMarketHistory = endpoint({
  method: 'GET',
  path: '/v1/markets/history',
  name: 'list_market_history',
  group: 'Markets',
  summary: 'List all recorded markets with their number of snapshots; up to 30 seconds old',
  description: '`X-Cache-Age` is the age of the list in seconds. For the current list use /v1/markets/history/recent.',
  access: { by: 'key', scope: 'history' },
  query: HistoryQuery,
  reply: HistoryReply,
  errors: [],
  table: historyTable,
  render: renderHistory,

  async handle(request) {
    const { body, ageMs, aside, emptyReason } = await listHistory(request, MAX_AGE_MS)
    const ageSeconds = Math.floor(ageMs / 1_000)
    return {
      body,
      aside: { ...aside, cacheAge: ageSeconds },
      emptyReason,
      maxAgeSeconds: Math.max(0, MAX_AGE_MS / 1_000 - ageSeconds),
    }
  },
})

import { type Answer, endpoint } from '../endpoint.ts'
import { HistoryQuery, HistoryReply, historyTable, listHistory, streamHistory } from '../shared/history-list.ts'

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

  async handle(request) {
    return aged(await listHistory(request, MAX_AGE_MS))
  },

  async stream(request) {
    const streamed = await streamHistory(request, MAX_AGE_MS)
    return streamed && aged(streamed)
  },
})

function aged<Answered extends Pick<Answer<never>, 'aside'> & { readonly ageMs: number }>(answer: Answered) {
  const ageSeconds = Math.floor(answer.ageMs / 1_000)
  return {
    ...answer,
    aside: { ...answer.aside, cacheAge: ageSeconds },
    maxAgeSeconds: Math.max(0, MAX_AGE_MS / 1_000 - ageSeconds),
  }
}

import { queryOptions } from '@tanstack/react-query'
import { type TrendPoint, withBoard } from './board-trends.ts'
import { nextRequestMs } from './next-request.ts'
import type { Board, FoundAccounts, OperatedAccount, ReviewList } from './operator-types.ts'
import { isPresent } from './presence.ts'
import { sessionRequest } from './session-request.ts'

const BOARD_MS = 30_000
const REVIEWS_MS = 60_000
const API = '/app/api/operator'

interface WatchedBoard {
  readonly board: Board
  /** What was seen since the page was opened. */
  readonly points: readonly TrendPoint[]
}

const BOARD_KEY = ['operator', 'board'] as const

export const boardQuery = queryOptions({
  queryKey: BOARD_KEY,
  queryFn: async ({ client }): Promise<WatchedBoard> => {
    const board = await sessionRequest<Board>(`${API}/board`)
    const before = client.getQueryData<WatchedBoard>(BOARD_KEY)?.points ?? []
    return { board, points: withBoard(before, board) }
  },
  refetchInterval: ({ state: { error } }) => nextRequestMs(error, isPresent(Date.now()) && BOARD_MS),
})

export const reviewsQuery = queryOptions({
  queryKey: ['operator', 'reviews'],
  queryFn: () => sessionRequest<ReviewList>(`${API}/reviews`),
  refetchInterval: ({ state: { error } }) => nextRequestMs(error, isPresent(Date.now()) && REVIEWS_MS),
})

export function accountSearchQuery(text: string) {
  return queryOptions({
    queryKey: ['operator', 'accounts', text],
    queryFn: () => sessionRequest<FoundAccounts>(`${API}/accounts?q=${encodeURIComponent(text)}`),
  })
}

export function operatedAccountQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'account', id],
    queryFn: () => sessionRequest<OperatedAccount>(`${API}/accounts/${encodeURIComponent(id)}`),
  })
}

export function resolveReview(id: number, reason: string): Promise<{ readonly id: number }> {
  return sessionRequest(`${API}/reviews/${id}/resolve`, 'POST', { reason })
}

export function signOutAccount(id: string, reason: string): Promise<{ readonly sessions_ended: number }> {
  return sessionRequest(`${API}/accounts/${encodeURIComponent(id)}/sign-out`, 'POST', { reason })
}

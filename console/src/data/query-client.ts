import { BookreelError } from '@bookreel/sdk'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isPassing, nextRequestMs } from './next-request.ts'
import { healthQuery } from './queries.ts'
import { endSession } from './session.ts'

const FRESH_MS = 5_000
const RETRIES = 2

/** Everything that the page has fetched. */
export const queryClient = newQueryClient()

function newQueryClient(): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof BookreelError && error.status === 401) endSession(client)
    // The page says which part is unavailable without waiting for the next look at the state of the service.
    if (error instanceof BookreelError && error.code === 'store_unavailable')
      void client.invalidateQueries({ queryKey: healthQuery.queryKey }, { cancelRefetch: false })
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A request without a network fails, and the page says so; by default it would wait silently.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchInterval: ({ state: { error } }) => nextRequestMs(error, false),
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && isPassing(error),
      },
    },
  })
  return client
}

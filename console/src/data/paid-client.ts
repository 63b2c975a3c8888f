import { RestClient } from '@bookreel/sdk'
import { noteActivity } from './activity.ts'
import { FROM_CONSOLE } from './session-request.ts'

/** Sends requests that cost credits; a repeated one with the same key is not charged again. */
export function paidClient(idempotencyKey: string): RestClient {
  const own = { ...FROM_CONSOLE, 'idempotency-key': idempotencyKey }
  return new RestClient({
    baseUrl: `${location.origin}/app/api`,
    fetch: async (address, init) => {
      const answer = await fetch(address, { ...init, headers: { ...(init?.headers as object), ...own } })
      if (answer.ok) noteActivity(Date.now())
      return answer
    },
  })
}

import { RestClient } from '@bookreel/sdk'
import { noteActivity } from './activity.ts'
import { FROM_CONSOLE } from './session-request.ts'

/** The queries of a page try again themselves. */
const RETRIES = 1

/** Endpoints that everybody may call. */
export const publicClient = new RestClient({ baseUrl: location.origin, retries: RETRIES })

/** Endpoints that programs call with a key; here the signed-in account calls them with its session. */
export const accountClient = new RestClient({
  baseUrl: `${location.origin}/app/api`,
  retries: RETRIES,
  fetch: async (address, init) => {
    const answer = await fetch(address, { ...init, headers: { ...(init?.headers as object), ...FROM_CONSOLE } })
    if (answer.ok) noteActivity(Date.now())
    return answer
  },
})

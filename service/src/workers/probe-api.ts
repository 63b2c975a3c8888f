import { z } from 'zod'
import { SERVICE_STATES, type ServiceName, type ServiceState } from '../domain/health.ts'
import type { ProbedService } from '../domain/uptime.ts'

/** What could be seen; of a service that is not among them nothing is known. */
export type Sight = Partial<Record<ProbedService, Exclude<ServiceState, 'off'>>>

const ANSWERS_WITHIN_MS = 5_000
/** Not now, said in an answer; everything above 500 that is not this comes from something that is broken. */
const NOT_NOW = 503

const State = z.enum(SERVICE_STATES)
const Health = z.object({
  analytics_store: State,
  cache: State,
  pipeline: State,
  websocket: State,
  accounts: State,
} satisfies Record<ServiceName, typeof State>)

/**
 * The service as a user sees it: whether the API answers, whether a real read is answered, and what it says of its
 * parts. Of parts that are off, or of which nobody says anything, it says nothing either.
 */
export async function probeApi(url: string, signal: AbortSignal): Promise<Sight> {
  const [live, read, health] = await Promise.all([
    ask(new URL('/health/live', url), signal),
    ask(new URL('/v1/public-stats', url), signal),
    ask(new URL('/health', url), signal),
  ])
  const parts = partsIn(health?.body)
  return { ...parts, api: apiState(live?.status, read?.status) }
}

/** A read that is refused for want of a store is an answer: the store has a row of its own. */
function apiState(liveStatus: number | undefined, readStatus: number | undefined): 'ok' | 'degraded' | 'down' {
  if (liveStatus !== 200) return 'down'
  if (readStatus === 200) return 'ok'
  return readStatus === NOT_NOW ? 'degraded' : 'down'
}

function partsIn(body: unknown): Sight {
  const told = Health.safeParse(body)
  if (!told.success) return {}
  return Object.fromEntries(Object.entries(told.data).filter(([, state]) => state !== 'off'))
}

async function ask(url: URL, signal: AbortSignal): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)])
    // A redirect is not followed: where it leads is not what is to be probed.
    const answer = await fetch(url, { redirect: 'manual', signal: limit })
    return { status: answer.status, body: await answer.json().catch(() => undefined) }
  } catch {
    return undefined
  }
}

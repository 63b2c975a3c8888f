import { z } from 'zod'
import { SERVICE_STATES, type ServiceName, type ServiceState } from '../domain/health.ts'
import type { ProbedService } from '../domain/probe.ts'

/** The state of each probed service; a service that is left out could not be probed. */
export type ProbedStates = Partial<Record<ProbedService, Exclude<ServiceState, 'off'>>>

const ANSWERS_WITHIN_MS = 5_000
/** A store is unavailable; any other 5xx means that the API itself is broken. */
const UNAVAILABLE = 503
/** Redirected or, without a public address, refused. */
const HTTPS_REQUIRED: readonly (number | undefined)[] = [308, 403]
/** Counts where the prober is a trusted proxy; elsewhere the API ignores it. */
const HEADERS = { 'x-forwarded-proto': 'https' }

const State = z.enum(SERVICE_STATES)
const Health = z.object({
  analytics_store: State,
  cache: State,
  pipeline: State,
  websocket: State,
  accounts: State,
} satisfies Record<ServiceName, typeof State>)

/**
 * Probes the service as a user would: whether the API answers, whether a real read works, and the state of each part
 * in `/health`. Parts that are off or not reported are left out. An API that requires HTTPS does not answer the read at its
 * internal address; its readiness is probed instead, because health checks are answered over plain HTTP.
 */
export async function probeApi(url: string, signal: AbortSignal): Promise<ProbedStates> {
  const [live, read, health] = await Promise.all([
    request(new URL('/health/live', url), signal),
    request(new URL('/v1/public-stats', url), signal),
    request(new URL('/health', url), signal),
  ])
  const parts = partsIn(health?.body)
  const served = HTTPS_REQUIRED.includes(read?.status) ? await request(new URL('/health/ready', url), signal) : read
  return { ...parts, api: apiState(live?.status, served?.status) }
}

/** A read refused with 503 is only degraded: the unavailable store is reported as a service of its own. */
function apiState(liveStatus: number | undefined, readStatus: number | undefined): 'ok' | 'degraded' | 'down' {
  if (liveStatus !== 200) return 'down'
  if (readStatus === 200) return 'ok'
  return readStatus === UNAVAILABLE ? 'degraded' : 'down'
}

function partsIn(body: unknown): ProbedStates {
  const health = Health.safeParse(body)
  if (!health.success) return {}
  return Object.fromEntries(Object.entries(health.data).filter(([, state]) => state !== 'off'))
}

async function request(url: URL, signal: AbortSignal): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)])
    // Redirects are not followed: their target is not the probed service.
    const answer = await fetch(url, { redirect: 'manual', headers: HEADERS, signal: limit })
    return { status: answer.status, body: await answer.json().catch(() => undefined) }
  } catch {
    return undefined
  }
}

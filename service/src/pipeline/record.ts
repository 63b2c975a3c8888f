import { apiErrorOf } from './api-error-of.ts'
import type { ApiMetrics } from './api-metrics.ts'
import type { IncomingRequest } from './exchange.ts'
import { CallerDisconnected } from './in-time.ts'

/** Records status and duration of a request; returns or throws the same as `work`. */
export async function recorded<Result extends { readonly status: number }>(
  metrics: ApiMetrics,
  request: Pick<IncomingRequest, 'transport' | 'route'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now()
  const { transport } = request
  const record = (status: number): void => {
    const { route } = request
    if (route === undefined) return
    metrics.requests.inc({ transport, route, status })
    metrics.durationSeconds.observe({ transport, route }, (performance.now() - startedMs) / 1_000)
  }
  try {
    const result = await work()
    record(result.status)
    return result
  } catch (error) {
    const { status, code } = apiErrorOf(error)
    const isDisconnected = error instanceof CallerDisconnected
    record(isDisconnected ? CallerDisconnected.STATUS : status)
    if (!isDisconnected) metrics.refusals.inc({ transport, code })
    throw error
  }
}

import { apiErrorOf } from './api-error-of.ts'
import type { ApiMetrics } from './api-metrics.ts'
import type { IncomingRequest } from './exchange.ts'
import { CallerLeft } from './in-time.ts'

/** Records how a request ended and how long it took; its result or error stays as it is. */
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
    const hasLeft = error instanceof CallerLeft
    record(hasLeft ? CallerLeft.STATUS : status)
    if (!hasLeft) metrics.refusals.inc({ transport, code })
    throw error
  }
}

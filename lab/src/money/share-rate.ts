import { TIER_LIMITS } from '@bookreel/service/domain/tier'
import type { ApiService } from '../api-service.ts'
import { HttpClient } from '../http-client.ts'

export interface SharedRate {
  readonly allowed: number
  readonly refused: number
  /** Refused with 503, as a node does that is overloaded. */
  readonly tooBusy: number
  readonly others: number
  readonly burst: number
  readonly seconds: number
  /** The largest excess over burst + rate · t at any time; at most 0 when the limit held. */
  readonly most: number
}

const TIER = 'pro'
const CONNECTIONS_EACH = 4
const PATH = '/v1/api-keys/validate'

/** One account sends requests to every process as fast as possible. */
export async function shareRate(service: ApiService, seconds: number): Promise<SharedRate> {
  const { key } = await service.openAccount(TIER, 0)
  const { rpm } = TIER_LIMITS[TIER]
  using client = new HttpClient(CONNECTIONS_EACH)
  let [allowed, refused, tooBusy, others, most] = [0, 0, 0, 0, Number.NEGATIVE_INFINITY]
  const fromMs = performance.now()
  const ask = async (port: number): Promise<void> => {
    while (performance.now() - fromMs < seconds * 1_000) {
      const { status } = await client.ask({ port, path: PATH, headers: { 'x-api-key': key } })
      if (status === 200) {
        allowed++
        // A request is counted before its response arrives, so the measured excess is never too large.
        most = Math.max(most, allowed - rpm - (rpm / 60_000) * (performance.now() - fromMs))
      } else if (status === 429) refused++
      else if (status === 503) tooBusy++
      else others++
    }
  }
  await Promise.all(service.processes.flatMap(({ port }) => Array.from({ length: CONNECTIONS_EACH }, () => ask(port))))
  return { allowed, refused, tooBusy, others, burst: rpm, seconds, most: Math.round(most * 10) / 10 }
}

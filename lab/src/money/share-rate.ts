import { TIER_LIMITS } from '@bookreel/service/domain/tier'
import type { ApiService } from '../api-service.ts'
import { HttpClient } from '../http-client.ts'

export interface SharedRate {
  readonly allowed: number
  readonly refused: number
  readonly others: number
  readonly burst: number
  readonly seconds: number
  /** The most by which, at any moment, more had been allowed than burst + rate · t; at or below 0 when never. */
  readonly most: number
}

const TIER = 'pro'
const CONNECTIONS_EACH = 4
/** When refused, a client that wanted to would ask again at once; this one leaves others some of the machine. */
const PATH = '/v1/api-keys/validate'

/** One account as fast as it can on every process at once. */
export async function shareRate(service: ApiService, seconds: number): Promise<SharedRate> {
  const { key } = await service.openAccount(TIER, 0)
  const { rpm } = TIER_LIMITS[TIER]
  using client = new HttpClient(CONNECTIONS_EACH)
  let [allowed, refused, others, most] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  const fromMs = performance.now()
  const ask = async (port: number): Promise<void> => {
    while (performance.now() - fromMs < seconds * 1_000) {
      const { status } = await client.ask({ port, path: PATH, headers: { 'x-api-key': key } })
      if (status === 200) {
        allowed++
        // An answer comes after it was counted, so the clock is in favour of the service by what the answer took.
        most = Math.max(most, allowed - rpm - (rpm / 60_000) * (performance.now() - fromMs))
      } else if (status === 429) refused++
      else others++
    }
  }
  await Promise.all(service.processes.flatMap(({ port }) => Array.from({ length: CONNECTIONS_EACH }, () => ask(port))))
  return { allowed, refused, others, burst: rpm, seconds, most: Math.round(most * 10) / 10 }
}

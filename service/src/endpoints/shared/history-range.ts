import { ApiError } from '../../domain/api-error.ts'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { EndpointRequest } from '../endpoint.ts'
import type { RecordedLife } from './recorded-life.ts'

export interface HistoryRange {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  /** The tier reaches less far back than the records do, and no start was asked for. */
  readonly isTierBounded: boolean
}

interface Asked {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

const HOUR_MS = 3_600_000

/** What was asked for; without a start, all that was recorded and that the tier includes. A start beyond the tier is refused. */
export function rangeAsked(
  {
    query: { from, to },
    caller,
    nowMs,
    require,
  }: Pick<EndpointRequest<unknown, Asked, unknown>, 'query' | 'caller' | 'nowMs' | 'require'>,
  life: RecordedLife,
): HistoryRange {
  if (from !== undefined && to !== undefined && from >= to) {
    throw new ApiError('invalid_request', 'from: must be before to', {
      details: { problems: [{ parameter: 'from', problem: 'must be before to' }] },
    })
  }
  const toMs = to ?? life.toMs
  if (from !== undefined) {
    require({ historyAgeMs: nowMs - from })
    return { fromMs: from, toMs, isTierBounded: false }
  }
  const { historyHours } = TIER_LIMITS[caller?.tier ?? 'free']
  const reachMs = historyHours === 0 ? 0 : nowMs - historyHours * HOUR_MS
  if (reachMs >= toMs) require({ historyAgeMs: nowMs - toMs + 1 })
  return { fromMs: Math.max(life.fromMs, reachMs), toMs, isTierBounded: reachMs > life.fromMs }
}

/** The part of a range in which anything is known; undefined when they don't meet. */
export function withinLife(
  { fromMs, toMs }: Pick<HistoryRange, 'fromMs' | 'toMs'>,
  life: RecordedLife,
): { fromMs: number; toMs: number } | undefined {
  const common = { fromMs: Math.max(fromMs, life.fromMs), toMs: Math.min(toMs, life.toMs) }
  return common.fromMs < common.toMs ? common : undefined
}

import { HOUR_MS } from '../../domain/finished-hour.ts'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { EndpointRequest } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

export interface RequestedRange extends TimeRange {
  /** The oldest time that the tier includes, when the request has no `from` and the tier is limited. */
  readonly historyFromMs: number | undefined
}

type RangeRequest = Pick<
  EndpointRequest<unknown, { readonly from?: number | undefined; readonly to?: number | undefined }, unknown>,
  'query' | 'caller' | 'nowMs' | 'require'
>

export const HistoryFrom = Instant.optional().describe(
  'the oldest time that the tier includes; only when something older is recorded and therefore left out',
)

/** `history_from` of an answer about data that is recorded since `recordedFromMs`. */
export function historyFromMember(
  { historyFromMs }: Pick<RequestedRange, 'historyFromMs'>,
  recordedFromMs: number | undefined,
): { readonly history_from?: string } {
  if (historyFromMs === undefined || recordedFromMs === undefined || recordedFromMs >= historyFromMs) return {}
  return { history_from: instantOf(historyFromMs) }
}

/** The oldest time that the caller's tier includes; undefined when it includes everything. */
export function historyFrom({ caller, nowMs }: Pick<RangeRequest, 'caller' | 'nowMs'>): number | undefined {
  const { historyHours } = TIER_LIMITS[caller?.tier ?? 'free']
  return historyHours === 0 ? undefined : nowMs - historyHours * HOUR_MS
}

/** The query is checked by `fromBeforeTo`. Without `from`, everything that the tier includes; without `to`, up to `endMs`. What the tier does not include is refused. */
export function requestedRange(request: RangeRequest, endMs: number): RequestedRange {
  const { query, nowMs, require } = request
  const { from, to } = query
  const historyFromMs = from === undefined ? historyFrom(request) : undefined
  const toMs = to ?? endMs
  require({ historyAgeMs: nowMs - Math.min(from ?? toMs - 1, nowMs) })
  return { fromMs: from ?? historyFromMs ?? 0, toMs, historyFromMs }
}

/** The range in whole hours or days, with nothing before the time that the tier includes. */
export function wholeParts({ fromMs, toMs }: TimeRange, partMs: number, tierFromMs: number | undefined): TimeRange {
  const startMs = Math.floor(fromMs / partMs) * partMs
  return { fromMs: Math.max(startMs, tierFromMs ?? 0), toMs: Math.ceil(toMs / partMs) * partMs }
}

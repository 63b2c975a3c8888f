/** What is watched, in the words that callers see. */
export const SERVICES = ['analytics_store', 'cache', 'pipeline', 'websocket', 'accounts'] as const
export type ServiceName = (typeof SERVICES)[number]

/** `off` is what is not part of this installation; it is no trouble. */
export const SERVICE_STATES = ['ok', 'degraded', 'down', 'off'] as const
export type ServiceState = (typeof SERVICE_STATES)[number]
export type ServiceStates = Readonly<Record<ServiceName, ServiceState>>

export const OVERALL_STATES = ['ok', 'degraded', 'down'] as const
export type OverallState = (typeof OVERALL_STATES)[number]

/**
 * Down is when no data can be served: neither the present nor the past. Without one of them, without new rows
 * or without accounts (keys in use still work for a while) it is degraded.
 */
export function overallState(states: ServiceStates): OverallState {
  if (states.cache === 'down' && states.analytics_store === 'down') return 'down'
  return SERVICES.every((name) => states[name] === 'ok' || states[name] === 'off') ? 'ok' : 'degraded'
}

export interface PipelineSigns {
  readonly isBusUp: boolean
  /** Since the newest row that callers can see was sampled; undefined when that can't be known. */
  readonly newestRowAgeMs: number | undefined
  /** Capture says of itself that it sends rows. */
  readonly isCapturing: boolean
  /** Of the roles that rows pass through, one has fallen silent. */
  readonly isRoleMissing: boolean
}

/** The newest row of all comes from the fastest plan; even the slowest alone would bring one in this time. */
const FRESH_WITHIN_MS = 3_500
/** A book that is older is no longer served as live. */
const SERVED_FOR_MS = 60_000

export function pipelineState({ isBusUp, newestRowAgeMs, isCapturing, isRoleMissing }: PipelineSigns): ServiceState {
  const isFresh = newestRowAgeMs === undefined ? isCapturing : newestRowAgeMs <= FRESH_WITHIN_MS
  if (isFresh) return isBusUp && !isRoleMissing ? 'ok' : 'degraded'
  if (!isBusUp) return 'down'
  const isServed = newestRowAgeMs !== undefined && newestRowAgeMs <= SERVED_FOR_MS
  return isServed || isCapturing ? 'degraded' : 'down'
}

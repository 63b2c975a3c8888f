/** The monitored services, by their names in the API. */
export const SERVICES = ['analytics_store', 'cache', 'pipeline', 'websocket', 'accounts'] as const
export type ServiceName = (typeof SERVICES)[number]

/** `off`: not part of this installation. */
export const SERVICE_STATES = ['ok', 'degraded', 'down', 'off'] as const
export type ServiceState = (typeof SERVICE_STATES)[number]
export type ServiceStates = Readonly<Record<ServiceName, ServiceState>>

export const OVERALL_STATES = ['ok', 'degraded', 'down'] as const
export type OverallState = (typeof OVERALL_STATES)[number]

/**
 * Down: neither live books nor history can be served. Degraded: one of the two is missing, or new rows, or accounts
 * (keys in use still work for a while).
 */
export function overallState(states: ServiceStates): OverallState {
  if (states.cache === 'down' && states.analytics_store === 'down') return 'down'
  return SERVICES.every((name) => states[name] === 'ok' || states[name] === 'off') ? 'ok' : 'degraded'
}

export interface PipelineSigns {
  readonly isBusUp: boolean
  /** Age of the newest row in Redis; undefined when Redis is unavailable. */
  readonly newestRowAgeMs: number | undefined
  /** Heartbeats of capture report rows. */
  readonly isCapturing: boolean
  /** A role that rows pass through sends no heartbeats. */
  readonly isRoleMissing: boolean
}

/** Even the slowest plan records a row within this time. */
const FRESH_WITHIN_MS = 3_500
/** Older books are not served as live. */
const SERVED_FOR_MS = 60_000

export function pipelineState({ isBusUp, newestRowAgeMs, isCapturing, isRoleMissing }: PipelineSigns): ServiceState {
  const isFresh = newestRowAgeMs === undefined ? isCapturing : newestRowAgeMs <= FRESH_WITHIN_MS
  if (isFresh) return isBusUp && !isRoleMissing ? 'ok' : 'degraded'
  if (!isBusUp) return 'down'
  const isServed = newestRowAgeMs !== undefined && newestRowAgeMs <= SERVED_FOR_MS
  return isServed || isCapturing ? 'degraded' : 'down'
}

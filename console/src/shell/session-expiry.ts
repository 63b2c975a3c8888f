interface SessionTimes {
  readonly idleMs: number
  readonly lastsUntilMs: number
}

export interface Expiry {
  readonly leftMs: number
  /** False when the session has reached its largest age, which no request extends. */
  readonly canStay: boolean
}

const NOTICE_MS = 120_000

/** Undefined until two minutes before the end of the session. */
export function expiryOf(session: SessionTimes, lastUsedMs: number, nowMs: number): Expiry | undefined {
  const idleUntilMs = lastUsedMs + session.idleMs
  const leftMs = Math.min(idleUntilMs, session.lastsUntilMs) - nowMs
  return leftMs > NOTICE_MS ? undefined : { leftMs, canStay: idleUntilMs < session.lastsUntilMs }
}

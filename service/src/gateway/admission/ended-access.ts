import type { AccessEnd, Caller } from '../../access/caller.ts'
import { mayUse, type Tier } from '../../domain/tier.ts'
import type { Ending } from '../connection/refuse-connection.ts'
import { CLOSE_CODES } from '../protocol/protocol.ts'

const RETRY_AFTER_MS = 1_000

/** Revoked or expired. */
export function keyEnded(): Ending {
  const message = 'The API key of this connection has expired or was revoked. Create another one at /app/keys.'
  return { code: 'unauthenticated', message, closeCode: CLOSE_CODES.forbidden, mayReconnect: false }
}

/** A connection keeps the limits that it was opened with, so it ends with the tier; the next one has the new limits. */
export function tierChanged(from: Tier, to: Tier): Ending {
  if (!mayUse(to, 'websocket')) {
    const message = `The ${from} tier of this account has ended, and the ${to} tier does not include streams. Renew it at /app/billing.`
    return { code: 'tier_not_allowed', message, closeCode: CLOSE_CODES.forbidden, mayReconnect: false }
  }
  const message = `The tier of this account changed from ${from} to ${to}. Connect again to continue with its limits.`
  return {
    code: 'tier_changed',
    message,
    closeCode: CLOSE_CODES.tier_changed,
    mayReconnect: true,
    retryAfterMs: RETRY_AFTER_MS,
  }
}

/** The end was known, and PostgreSQL can't tell whether it was moved or what follows. */
export function knownEnd({ tier }: Caller, { of }: AccessEnd): Ending {
  if (of === 'key') return keyEnded()
  const message = `The ${tier} tier of this account has ended. Renew it at /app/billing; if another tier follows, connect again in a minute.`
  return { code: 'tier_not_allowed', message, closeCode: CLOSE_CODES.forbidden, mayReconnect: false }
}

/** The key can't be checked, or the account has changed and can't be read. */
export function unconfirmed(): Ending {
  const message =
    'The account store is unavailable, so this server can not check the API key. Connect again and resume.'
  return {
    code: 'store_unavailable',
    message,
    closeCode: CLOSE_CODES.going_away,
    mayReconnect: true,
    retryAfterMs: RETRY_AFTER_MS,
  }
}

/** Another page of the console has the only stream that the console of an account may have. */
export function takenOver(): Ending {
  const message = 'Another page of the console shows live data now. Open a stream again to take it back.'
  return { code: 'taken_over', message, closeCode: CLOSE_CODES.forbidden, mayReconnect: false }
}

/** Signed out, here or elsewhere, or not used for too long. */
export function sessionEnded(): Ending {
  const message = 'The session of this page has ended. Sign in again.'
  return { code: 'unauthenticated', message, closeCode: CLOSE_CODES.forbidden, mayReconnect: false }
}

/** Other connections of the account have taken its place, for example while this process was suspended. */
export function placeLost({ tier, limits }: Caller): Ending {
  const message = `The ${tier} tier allows ${limits.wsMax} stream connections at the same time, and newer ones are open. Close one of them first.`
  return { code: 'rate_limited', message, closeCode: CLOSE_CODES.forbidden, mayReconnect: false }
}

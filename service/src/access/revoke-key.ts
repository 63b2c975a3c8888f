import type { Keys } from '../stores/accounts/keys.ts'
import type { RateLimits } from '../stores/accounts/rate-limits.ts'
import { isKeyId } from './key-format.ts'

export interface RevokeDeps {
  readonly keys: Pick<Keys, 'revoke'>
  readonly rateLimits: Pick<RateLimits, 'markRevoked'>
  readonly onTrouble: (error: unknown) => void
}

/**
 * False when there is no such working key (of the account, if one is given). All nodes refuse the key from the next
 * request on, or within five seconds while Redis is unavailable.
 */
export async function revokeKey(deps: RevokeDeps, keyId: string, accountId?: string): Promise<boolean> {
  if (!isKeyId(keyId)) return false
  const revoked = await deps.keys.revoke(keyId, accountId)
  if (revoked === undefined) return false
  await deps.rateLimits.markRevoked(revoked.accountId, revoked.keyId).catch(deps.onTrouble)
  return true
}

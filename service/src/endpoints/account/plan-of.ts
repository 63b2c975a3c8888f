import { ApiError } from '../../domain/api-error.ts'
import { TIER_LIMITS, type Tier, type TierLimits } from '../../domain/tier.ts'
import type { Account } from '../../stores/accounts/accounts.ts'
import type { Stores } from '../stores.ts'

export interface AccountPlan {
  readonly tier: Tier
  readonly limits: TierLimits
  readonly creditsRemaining: number
  /** End of the tier; for a tier without an end, the time of the next monthly credits. */
  readonly expiresAtMs: number
}

/** Reads credits first, because that grants those that are due. */
export async function planOf(
  { accounts, ledger }: Pick<Stores, 'accounts' | 'ledger'>,
  id: string,
): Promise<AccountPlan> {
  const spendable = await ledger.spendable(id)
  const account = await accounts.find(id)
  if (account === undefined || spendable === undefined)
    throw new ApiError('unauthenticated', 'This account no longer exists.')
  const { tier } = account
  return { tier, limits: TIER_LIMITS[tier], creditsRemaining: spendable.balance, expiresAtMs: endOf(account) }
}

function endOf({ tier, tierExpiresAtMs, nextGrantAtMs }: Account): number {
  if (tier !== 'free' && tierExpiresAtMs !== undefined) return tierExpiresAtMs
  if (nextGrantAtMs === undefined) throw new Error('the account has no next grant')
  return nextGrantAtMs
}

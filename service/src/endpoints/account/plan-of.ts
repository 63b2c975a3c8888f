import { ApiError } from '../../domain/api-error.ts'
import { TIER_LIMITS, type Tier, type TierLimits } from '../../domain/tier.ts'
import type { Account } from '../../stores/accounts/accounts.ts'
import type { Stores } from '../stores.ts'

export interface AccountPlan {
  readonly tier: Tier
  readonly limits: TierLimits
  readonly creditsRemaining: number
  /** When the tier ends; of one that doesn't, when the month of its credits does. */
  readonly expiresAtMs: number
}

/** What the account has, with the credits of a month that has just begun. */
export async function planOf(
  { accounts, ledger }: Pick<Stores, 'accounts' | 'ledger'>,
  id: string,
): Promise<AccountPlan> {
  const spendable = await ledger.spendable(id)
  const account = await accounts.find(id)
  if (account === undefined || spendable === undefined) throw new ApiError('unauthenticated', 'This account is gone.')
  const { tier } = account
  return { tier, limits: TIER_LIMITS[tier], creditsRemaining: spendable.balance, expiresAtMs: endOf(account) }
}

function endOf({ tier, tierExpiresAtMs, nextGrantAtMs }: Account): number {
  if (tier !== 'free' && tierExpiresAtMs !== undefined) return tierExpiresAtMs
  if (nextGrantAtMs === undefined) throw new Error('no grant was ever due')
  return nextGrantAtMs
}

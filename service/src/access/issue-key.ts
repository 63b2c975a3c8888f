import { ApiError } from '../domain/api-error.ts'
import { SCOPES, type Scope } from '../domain/scope.ts'
import { TIER_LIMITS } from '../domain/tier.ts'
import type { Accounts } from '../stores/accounts/accounts.ts'
import type { Keys, StoredKey } from '../stores/accounts/keys.ts'
import { makeKey, previewOf } from './key-format.ts'
import type { Peppers } from './peppers.ts'

export interface KeyRequest {
  readonly accountId: string
  readonly label: string
  /** Default: all. */
  readonly scopes?: readonly Scope[]
  readonly expiresAtMs?: number
  /** Credits a calendar month. */
  readonly creditLimit?: number
}

export interface IssuedKey {
  /** Not stored, so it can't be shown again. */
  readonly key: string
  readonly stored: StoredKey
}

export interface IssueDeps {
  readonly accounts: Pick<Accounts, 'find'>
  readonly keys: Pick<Keys, 'issue'>
  readonly peppers: Peppers
}

/** Throws `key_limit_reached`. */
export async function issueKey(deps: IssueDeps, { scopes = SCOPES, ...request }: KeyRequest): Promise<IssuedKey> {
  const account = await deps.accounts.find(request.accountId)
  if (account === undefined) throw new ApiError('not_found', 'This account does not exist.')
  const key = makeKey()
  const stored = await deps.keys.issue({ ...request, scopes, ...deps.peppers.hash(key), preview: previewOf(key) })
  if (stored !== undefined) return { key, stored }
  const { maxKeys } = TIER_LIMITS[account.tier]
  throw new ApiError(
    'key_limit_reached',
    `The ${account.tier} tier allows ${maxKeys} working key${maxKeys === 1 ? '' : 's'}. Revoke a key first, or upgrade.`,
    {
      details: { tier: account.tier, max_keys: maxKeys },
    },
  )
}

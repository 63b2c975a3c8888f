import { ApiError } from '../domain/api-error.ts'
import type { Tier } from '../domain/tier.ts'
import type { Accounts } from '../stores/accounts/accounts.ts'
import { AccountKeys, type AccountKeysDeps } from './account-keys.ts'
import { LocalLimit } from './local-limit.ts'
import { rateLimited } from './refusals.ts'
import type { Sessions } from './sessions.ts'

interface SessionUser {
  readonly accountId: string
  readonly tier: Tier
}

export interface SessionAccessDeps {
  readonly sessions: Sessions
  readonly accounts: Pick<Accounts, 'find'>
  readonly keyManager: AccountKeysDeps
}

/** More than a person needs; stops a page that sends requests in a loop. */
const RATE = { rpm: 120, burst: 120 }

/** Authenticates and rate-limits signed-in users. */
export class SessionAccess {
  readonly #deps: SessionAccessDeps
  readonly #limit = new LocalLimit({ nowMs: () => performance.now() })

  constructor(deps: SessionAccessDeps) {
    this.#deps = deps
  }

  /** Returns the account id. Throws `unauthenticated`. */
  async authenticate(token: string | undefined): Promise<string> {
    return (await this.#deps.sessions.require(token)).accountId
  }

  /** Counts one request. Throws `rate_limited`. */
  async admit(accountId: string): Promise<SessionUser> {
    const verdict = this.#limit.take(accountId, RATE)
    if (!verdict.isAllowed) throw rateLimited(RATE.rpm, verdict)
    const account = await this.#deps.accounts.find(accountId)
    if (account === undefined) throw new ApiError('unauthenticated', 'This account no longer exists.')
    return { accountId, tier: account.tier }
  }

  keysOf({ accountId }: Pick<SessionUser, 'accountId'>): AccountKeys {
    return new AccountKeys(this.#deps.keyManager, accountId)
  }
}

export function signInNotConfigured(): ApiError {
  return new ApiError(
    'sign_in_not_configured',
    'Sign-in is not available: no identity provider is configured for this service.',
  )
}

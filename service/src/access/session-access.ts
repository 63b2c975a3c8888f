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

/** A person clicks less often than this; more is a page in a loop. */
const RATE = { rpm: 120, burst: 120 }

/** Says who is signed in, and what they may do. */
export class SessionAccess {
  readonly #deps: SessionAccessDeps
  readonly #limit = new LocalLimit({ nowMs: () => performance.now() })

  constructor(deps: SessionAccessDeps) {
    this.#deps = deps
  }

  /** Gives the account. Refuses with `unauthenticated`. */
  async authenticate(token: string | undefined): Promise<string> {
    return (await this.#deps.sessions.require(token)).accountId
  }

  /** Counts one request. Refuses with `rate_limited`. */
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
  return new ApiError('sign_in_not_configured', 'Nobody can sign in here: this service has no identity provider.')
}

import { ApiError } from '../domain/api-error.ts'
import type { Operator } from '../domain/operator.ts'
import type { Tier } from '../domain/tier.ts'
import type { Accounts } from '../stores/accounts/accounts.ts'
import { AccountKeys, type AccountKeysDeps } from './account-keys.ts'
import { LocalLimit } from './local-limit.ts'
import type { OperatorOf } from './operator-rule.ts'
import { rateLimited, unknownAccount } from './refusals.ts'
import type { Sessions } from './sessions.ts'

/** The session of a request. */
export interface SessionOwner {
  readonly accountId: string
  readonly sessionHash: string
  /** Undefined for people who are no operators. */
  readonly operator?: Operator
}

interface SessionUser extends SessionOwner {
  readonly tier: Tier
}

export interface SessionAccessDeps {
  readonly sessions: Sessions
  readonly operatorOf: OperatorOf
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

  /** Throws `unauthenticated`. */
  async authenticate(token: string | undefined): Promise<SessionOwner> {
    const session = await this.#deps.sessions.require(token)
    const operator = this.#deps.operatorOf(session)
    return { accountId: session.accountId, sessionHash: session.hash, ...(operator && { operator }) }
  }

  /** Counts one request. Throws `rate_limited`. */
  async admit({ accountId, ...owner }: SessionOwner): Promise<SessionUser> {
    const verdict = this.#limit.take(accountId, RATE)
    if (!verdict.isAllowed) throw rateLimited(RATE.rpm, verdict)
    const account = await this.#deps.accounts.find(accountId)
    if (account === undefined) throw unknownAccount()
    return { accountId, ...owner, tier: account.tier }
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

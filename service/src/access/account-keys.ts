import { type IssueDeps, type IssuedKey, issueKey, type KeyRequest } from './issue-key.ts'
import { type RevokeDeps, revokeKey } from './revoke-key.ts'

export type AccountKeysDeps = IssueDeps & RevokeDeps

/** What the owner of one account can have done with its keys, and with no others. */
export class AccountKeys {
  readonly #deps: AccountKeysDeps
  readonly #accountId: string

  constructor(deps: AccountKeysDeps, accountId: string) {
    this.#deps = deps
    this.#accountId = accountId
  }

  /** Fault: `key_limit_reached`. */
  makeKey(request: Omit<KeyRequest, 'accountId'>): Promise<IssuedKey> {
    return issueKey(this.#deps, { ...request, accountId: this.#accountId })
  }

  /** False when this account has no such key that works. */
  revokeKey(keyId: string): Promise<boolean> {
    return revokeKey(this.#deps, keyId, this.#accountId)
  }
}

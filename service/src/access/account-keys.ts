import { type IssueDeps, type IssuedKey, issueKey, type KeyRequest } from './issue-key.ts'
import { type RevokeDeps, revokeKey } from './revoke-key.ts'

export type AccountKeysDeps = IssueDeps & RevokeDeps

/** Creates and revokes the keys of one account, and of no other account. */
export class AccountKeys {
  readonly #deps: AccountKeysDeps
  readonly #accountId: string

  constructor(deps: AccountKeysDeps, accountId: string) {
    this.#deps = deps
    this.#accountId = accountId
  }

  /** Throws `key_limit_reached`. */
  makeKey(request: Omit<KeyRequest, 'accountId'>): Promise<IssuedKey> {
    return issueKey(this.#deps, { ...request, accountId: this.#accountId })
  }

  /** False when this account has no such working key. */
  revokeKey(keyId: string): Promise<boolean> {
    return revokeKey(this.#deps, keyId, this.#accountId)
  }
}

import type { KeyChanges, Keys, StoredKey } from '../stores/accounts/keys.ts'
import { type IssueDeps, type IssuedKey, issueKey, type KeyRequest } from './issue-key.ts'
import { isKeyId } from './key-format.ts'
import { type RevokeDeps, revokeKey } from './revoke-key.ts'
import { type RotateDeps, rotateKey } from './rotate-key.ts'

export type AccountKeysDeps = IssueDeps & RevokeDeps & RotateDeps & { readonly keys: Pick<Keys, 'change'> }

/** Creates, changes and revokes the keys of one account, and of no other account. */
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

  /** Undefined when this account has no such working key. */
  async changeKey(keyId: string, changes: KeyChanges): Promise<StoredKey | undefined> {
    return isKeyId(keyId) ? this.#deps.keys.change(this.#accountId, keyId, changes) : undefined
  }

  /** Undefined when this account has no such working key. */
  rotateKey(keyId: string, overlapSeconds: number): Promise<IssuedKey | undefined> {
    return rotateKey(this.#deps, { accountId: this.#accountId, keyId, overlapSeconds })
  }

  /** Undefined when this account has no such working key. Nodes without PostgreSQL learn of it from Redis. */
  async revokeKey(keyId: string): Promise<{ readonly isInRedis: boolean } | undefined> {
    let isInRedis = true
    const onTrouble = (error: unknown): void => {
      isInRedis = false
      this.#deps.onTrouble(error)
    }
    const isRevoked = await revokeKey({ ...this.#deps, onTrouble }, keyId, this.#accountId)
    return isRevoked ? { isInRedis } : undefined
  }
}

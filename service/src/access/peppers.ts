import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export interface PepperedHash {
  readonly hash: Buffer
  readonly pepperId: string
}

/** Secrets for the hashes of stored keys, so that a copy of the database is not enough to test keys. Newest first. */
export class Peppers {
  readonly #peppers: readonly { readonly id: string; readonly secret: KeyObject }[]

  constructor(newest: string, former?: string) {
    const secrets = (former === undefined ? [newest] : [newest, former]).map((text) => createSecretKey(text, 'utf8'))
    this.#peppers = secrets.map((secret) => ({ secret, id: idOf(secret) }))
  }

  /** For a new key. */
  hash(key: string): PepperedHash {
    const [newest] = this.hashes(key)
    if (newest === undefined) throw new Error('no pepper is configured')
    return newest
  }

  /** Every hash that the key may be stored under during a pepper rotation. */
  hashes(key: string): PepperedHash[] {
    return this.#peppers.map(({ id, secret }) => ({
      hash: createHmac('sha256', secret).update(key).digest(),
      pepperId: id,
    }))
  }

  /** Keys of 32 bytes for another purpose, newest first. */
  derive(purpose: string): Buffer[] {
    return this.#peppers.map(({ secret }) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  }
}

/** Identifies a pepper without revealing it. */
function idOf(secret: KeyObject): string {
  return createHmac('sha256', secret).update('pepper id').digest('hex').slice(0, 8)
}

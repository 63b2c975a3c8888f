import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

export interface PepperedHash {
  readonly hash: Buffer
  readonly pepperId: string
}

/** Secrets that stored hashes are made with, so that a copy of the database checks no key. The newest comes first. */
export class Peppers {
  readonly #peppers: readonly { readonly id: string; readonly secret: KeyObject }[]

  constructor(newest: string, former?: string) {
    const secrets = (former === undefined ? [newest] : [newest, former]).map((text) => createSecretKey(text, 'utf8'))
    this.#peppers = secrets.map((secret) => ({ secret, id: idOf(secret) }))
  }

  /** For a key that is being stored. */
  hash(key: string): PepperedHash {
    const [newest] = this.hashes(key)
    if (newest === undefined) throw new Error('there is no pepper')
    return newest
  }

  /** Every hash that the key may be stored under while peppers are changed. */
  hashes(key: string): PepperedHash[] {
    return this.#peppers.map(({ id, secret }) => ({
      hash: createHmac('sha256', secret).update(key).digest(),
      pepperId: id,
    }))
  }
}

/** Tells peppers apart and gives none away. */
function idOf(secret: KeyObject): string {
  return createHmac('sha256', secret).update('pepper id').digest('hex').slice(0, 8)
}

import type { Keys, PresentedKey } from '../stores/accounts/keys.ts'

interface Waiting {
  readonly hashes: readonly Buffer[]
  readonly settle: (found: Promise<PresentedKey | undefined>) => void
}

const EVERY_MS = 100
const MAX_BATCH = 1_000
export const MAX_SUSPECTS = 5_000

/**
 * Looks up the keys that come from addresses with many wrong keys. They can't be refused unseen, because customers may
 * share the address of an attacker, so all of them are looked up together, with at most ten queries a second.
 */
export class SuspectLookups {
  readonly #keys: Pick<Keys, 'findMany'>
  #waiting: Waiting[] = []
  #isScheduled = false

  constructor(keys: Pick<Keys, 'findMany'>) {
    this.#keys = keys
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_SUSPECTS
  }

  /** A key has one hash per pepper in use. */
  find(hashes: readonly Buffer[]): Promise<PresentedKey | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ hashes, settle: resolve })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setTimeout(() => void this.#lookUp(), EVERY_MS).unref()
  }

  async #lookUp(): Promise<void> {
    const batch = this.#waiting.slice(0, MAX_BATCH)
    this.#waiting = this.#waiting.slice(MAX_BATCH)
    const found = this.#keys
      .findMany(batch.flatMap(({ hashes }) => hashes))
      .then((keys) => new Map(keys.map((key) => [key.hash.toString('hex'), key])))
    for (const { hashes, settle } of batch) {
      settle(found.then((byHash) => hashes.map((hash) => byHash.get(hash.toString('hex'))).find((key) => key)))
    }
    await found.catch(() => {})
    this.#isScheduled = false
    this.#schedule()
  }
}

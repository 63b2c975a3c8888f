import { addressGroup } from '../../access/address-group.ts'
import { ApiError } from '../../domain/api-error.ts'

export const MAX_WITHOUT_KEY = 1_000
export const MAX_WITHOUT_KEY_PER_ADDRESS = 50

interface Waiting {
  readonly group: string
  readonly close: () => void
}

/**
 * The connections that have not sent a key yet. Those with a key in a header are never among them. A few addresses can
 * fill the places of all, so the one that has waited for the longest time makes room: most send their key at once.
 */
export class KeylessConnections {
  /** Oldest first. */
  readonly #waiting = new Set<Waiting>()
  readonly #ofGroup = new Map<string, number>()

  /** Returns a function that uncounts the connection; further calls have no effect. Throws `overloaded`. */
  add(ip: string, close: () => void): () => void {
    const group = addressGroup(ip)
    const held = this.#ofGroup.get(group) ?? 0
    if (held >= MAX_WITHOUT_KEY_PER_ADDRESS) {
      const message =
        'Too many connections wait for their key. Send the key in a header when you connect, or try again in a second.'
      throw new ApiError('overloaded', message, { retryAfterSeconds: 1 })
    }
    const [oldest] = this.#waiting
    if (oldest !== undefined && this.#waiting.size >= MAX_WITHOUT_KEY) {
      this.#remove(oldest)
      oldest.close()
    }
    const added: Waiting = { group, close }
    this.#waiting.add(added)
    this.#ofGroup.set(group, (this.#ofGroup.get(group) ?? 0) + 1)
    return () => this.#remove(added)
  }

  #remove(waiting: Waiting): void {
    if (!this.#waiting.delete(waiting)) return
    const left = (this.#ofGroup.get(waiting.group) ?? 1) - 1
    if (left === 0) this.#ofGroup.delete(waiting.group)
    else this.#ofGroup.set(waiting.group, left)
  }
}

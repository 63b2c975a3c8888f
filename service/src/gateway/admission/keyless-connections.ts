import { addressGroup } from '../../access/address-group.ts'
import { ApiError } from '../../domain/api-error.ts'

const MAX_WITHOUT_KEY = 1_000
const MAX_WITHOUT_KEY_PER_ADDRESS = 50

/** Counts the connections that have not sent a key yet. Those with a key in a header are never among them. */
export class KeylessConnections {
  readonly #ofGroup = new Map<string, number>()
  #total = 0

  /** Returns a function that uncounts the connection; further calls have no effect. Throws `overloaded`. */
  add(ip: string): () => void {
    const group = addressGroup(ip)
    const held = this.#ofGroup.get(group) ?? 0
    if (this.#total >= MAX_WITHOUT_KEY || held >= MAX_WITHOUT_KEY_PER_ADDRESS) {
      const message =
        'Too many connections wait for their key. Send the key in a header when you connect, or try again in a second.'
      throw new ApiError('overloaded', message, { retryAfterSeconds: 1 })
    }
    this.#ofGroup.set(group, held + 1)
    this.#total++
    let isCounted = true
    return () => {
      if (!isCounted) return
      isCounted = false
      this.#total--
      const left = (this.#ofGroup.get(group) ?? 1) - 1
      if (left === 0) this.#ofGroup.delete(group)
      else this.#ofGroup.set(group, left)
    }
  }
}

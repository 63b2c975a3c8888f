import type { Duplex } from 'node:stream'

export interface KeylessLimits {
  /** Connections of a process that have not sent a key yet. */
  readonly most: number
  /** How long each of them may wait with it. */
  readonly withinMs: number
}

export const KEYLESS_LIMITS: KeylessLimits = { most: 1_000, withinMs: 5_000 }

/**
 * The connections that have not sent a key yet. Those with a key in a header are never among them. Strangers can fill
 * these places, so the one that has waited for the longest time makes room: most send their key at once.
 */
export class KeylessConnections {
  /** Oldest first. */
  readonly #waiting = new Set<Duplex>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(socket: Duplex): void {
    const [oldest] = this.#waiting
    if (oldest !== undefined && this.#waiting.size >= this.#most) {
      this.delete(oldest)
      oldest.destroy()
    }
    this.#waiting.add(socket)
    socket.once('close', () => this.delete(socket))
  }

  /** The key of the connection was accepted, or it is closed. */
  delete(socket: Duplex): void {
    this.#waiting.delete(socket)
  }
}

import type { Duplex } from 'node:stream'

/** Bytes before the key is accepted: an auth frame and the first subscriptions. */
export const MAX_EARLY_BYTES = 128 * 1024
/** Bytes after a refusal: enough for the answer to the closing handshake. */
const AFTER_REFUSAL_BYTES = 256

/** Disconnects a stranger who sends more than a caller needs before the key is accepted, or goes on after a refusal. */
export class EarlyBytes {
  readonly #socket: Duplex
  readonly #listen: (chunk: Buffer) => void
  #leftBytes = MAX_EARLY_BYTES

  constructor(socket: Duplex, onCut: () => void) {
    this.#socket = socket
    this.#listen = (chunk) => {
      this.#leftBytes -= chunk.length
      if (this.#leftBytes >= 0 || socket.destroyed) return
      onCut()
      socket.destroy()
    }
    socket.on('data', this.#listen)
  }

  noteRefused(): void {
    this.#leftBytes = Math.min(this.#leftBytes, AFTER_REFUSAL_BYTES)
  }

  noteAdmitted(): void {
    this.#socket.off('data', this.#listen)
  }
}

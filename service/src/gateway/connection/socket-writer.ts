import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Outlet } from '../channels/market-stream.ts'
import type { GatewayMeter } from '../gateway-metrics.ts'
import type { ServerFrame } from '../protocol/protocol.ts'

/** Above it nothing more is given to a reader, and below the other it is again. */
const HIGH_WATER_BYTES = 256 * 1024
const LOW_WATER_BYTES = 64 * 1024
/** Who does not even take what it asked for itself is gone. */
const MOST_BYTES = 4 * 1024 * 1024
const QUICK_LOOKS = 50
const LOOK_EVERY_MS = 5
const GOODBYE_MS = 2_000

/** One socket, and how far behind its reader is. */
export class SocketWriter implements Outlet {
  readonly socket: WebSocket
  readonly #meter: GatewayMeter
  readonly #onFull: () => void
  #fullSinceMs: number | undefined

  constructor(socket: WebSocket, meter: GatewayMeter, onFull: () => void = () => {}) {
    this.socket = socket
    this.#meter = meter
    this.#onFull = onFull
  }

  get isFull(): boolean {
    return this.#fullSinceMs !== undefined
  }

  get fullSinceMs(): number | undefined {
    return this.#fullSinceMs
  }

  send(frame: Buffer | string): void {
    const { socket } = this
    if (socket.readyState !== WebSocket.OPEN) return
    socket.send(frame, { binary: false })
    this.#meter.sent(1)
    if (socket.bufferedAmount <= HIGH_WATER_BYTES) return
    if (socket.bufferedAmount > MOST_BYTES) socket.terminate()
    if (this.#fullSinceMs !== undefined) return
    this.#fullSinceMs = performance.now()
    this.#onFull()
  }

  say(frame: ServerFrame): void {
    this.send(JSON.stringify(frame))
  }

  /** Whether most of it was read by now. */
  look(): boolean {
    if (this.#fullSinceMs !== undefined && this.socket.bufferedAmount < LOW_WATER_BYTES) this.#fullSinceMs = undefined
    return this.#fullSinceMs === undefined
  }

  async untilRead(signal: AbortSignal): Promise<void> {
    for (let looks = 0; !this.look() && !signal.aborted; looks++) {
      if (looks < QUICK_LOOKS) await nextTurn()
      else await sleep(LOOK_EVERY_MS)
    }
  }

  /** Says why, and ends; a peer that doesn't answer is cut off. */
  close(code: number, reason: string, words?: ServerFrame, withinMs = GOODBYE_MS): void {
    if (words !== undefined) this.say(words)
    this.socket.close(code, reason)
    setTimeout(() => this.socket.terminate(), withinMs).unref()
  }
}

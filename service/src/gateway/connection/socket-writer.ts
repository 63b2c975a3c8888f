import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Outlet } from '../channels/market-stream.ts'
import type { GatewayMeter } from '../gateway-metrics.ts'
import type { ServerFrame } from '../protocol/protocol.ts'

/** Streams stop above this many buffered bytes, and continue below LOW_WATER_BYTES. */
const HIGH_WATER_BYTES = 256 * 1024
const LOW_WATER_BYTES = 64 * 1024
/** A client that does not even read the responses to its own requests is disconnected. */
const MAX_BYTES = 4 * 1024 * 1024
const IMMEDIATE_CHECKS = 50
const CHECK_EVERY_MS = 5
const CLOSE_WITHIN_MS = 2_000

/** Writes frames to one socket, and tracks whether its reader is too slow. */
export class SocketWriter implements Outlet {
  readonly socket: WebSocket
  readonly #meter: GatewayMeter
  readonly #onFull: () => void
  #fullSinceMs: number | undefined
  /** At the last look. */
  #unreadBytes = 0
  #readAtMs = 0

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

  /** When the reader of a full socket has last read anything, as far as those who look have seen. */
  get readAtMs(): number {
    const { bufferedAmount } = this.socket
    if (bufferedAmount < this.#unreadBytes) this.#readAtMs = performance.now()
    this.#unreadBytes = bufferedAmount
    return Math.max(this.#readAtMs, this.#fullSinceMs ?? 0)
  }

  send(frame: Buffer | string): void {
    const { socket } = this
    if (socket.readyState !== WebSocket.OPEN) return
    socket.send(frame, { binary: false })
    this.#meter.sent(1)
    if (socket.bufferedAmount <= HIGH_WATER_BYTES) return
    if (socket.bufferedAmount > MAX_BYTES) socket.terminate()
    if (this.#fullSinceMs !== undefined) return
    this.#fullSinceMs = performance.now()
    this.#onFull()
  }

  sendFrame(frame: ServerFrame): void {
    this.send(JSON.stringify(frame))
  }

  /** Whether the reader has caught up. */
  hasCaughtUp(): boolean {
    if (this.#fullSinceMs !== undefined && this.socket.bufferedAmount < LOW_WATER_BYTES) this.#fullSinceMs = undefined
    return this.#fullSinceMs === undefined
  }

  async untilRead(signal: AbortSignal): Promise<void> {
    for (let checks = 0; !this.hasCaughtUp() && !signal.aborted; checks++) {
      if (checks < IMMEDIATE_CHECKS) await nextTick()
      else await sleep(CHECK_EVERY_MS)
    }
  }

  /** Sends the closing frame and closes the socket; a peer that doesn't answer is disconnected. */
  close(code: number, reason: string, closing?: ServerFrame, withinMs = CLOSE_WITHIN_MS): void {
    if (closing !== undefined) this.sendFrame(closing)
    this.socket.close(code, reason)
    setTimeout(() => this.socket.terminate(), withinMs).unref()
  }
}

import { BookreelError } from './bookreel-error.ts'
import type { ServerFrame } from './generated/stream-types.ts'
import { backOffMs, pause } from './retries.ts'
import { type Command, Session, type SessionEnd, type SocketMaker } from './session.ts'

export interface StreamEndpoint {
  readonly url: string
  readonly key: string | undefined
  readonly Socket: SocketMaker
  /** Number of retries for the first connection. */
  readonly retries: number
}

export interface Listener {
  /** Called for every frame, in order. */
  receive(frame: ServerFrame): void
  /** The connection broke after it had been established. */
  lost(error: BookreelError): void
  /** The connection cannot be re-established. */
  failed(error: BookreelError): void
}

/** A dead connection counts for the connection limit until the service notices, so `rate_limited` is retried. */
const RATE_LIMITED_RETRIES = 10

/** Keeps a connection open: reconnects whenever it ends, until `close`. */
export class Connector {
  readonly #endpoint: StreamEndpoint
  readonly #listener: Listener
  readonly #closed = new AbortController()
  #session: Session | undefined
  #hasBegun = false
  #lostAtMs: number | undefined
  #failures = 0

  constructor(endpoint: StreamEndpoint, listener: Listener, signal: AbortSignal | undefined, onAbort: () => void) {
    this.#endpoint = endpoint
    this.#listener = listener
    if (signal?.aborted === true) this.#closed.abort()
    else signal?.addEventListener('abort', onAbort, { once: true })
    this.#closed.signal.addEventListener('abort', () => signal?.removeEventListener('abort', onAbort))
  }

  /** Whether the subscription is active. */
  get isUp(): boolean {
    return this.#hasBegun && this.#lostAtMs === undefined && !this.isClosed
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted
  }

  /** Returns the id of the command, which its reply repeats; undefined without a connection. */
  send(command: Command): number | undefined {
    return this.#session?.send(command)
  }

  /** Marks the subscription as active; returns the length of the interruption after a reconnect. */
  begun(): number | undefined {
    const awayMs = this.#lostAtMs === undefined ? undefined : Date.now() - this.#lostAtMs
    this.#hasBegun = true
    this.#lostAtMs = undefined
    this.#failures = 0
    return awayMs
  }

  /** Closes this connection and opens a new one. */
  restart(): void {
    this.#session?.close()
  }

  close(): void {
    this.#closed.abort()
    this.#session?.close()
  }

  async run(): Promise<void> {
    const { signal } = this.#closed
    const { url, key, Socket } = this.#endpoint
    while (!signal.aborted) {
      const onFrame = (frame: ServerFrame): void => {
        if (!signal.aborted) this.#listener.receive(frame)
      }
      try {
        this.#session = new Session({ url, key, Socket, onFrame })
      } catch (cause) {
        return this.#listener.failed(
          new BookreelError('network', `Cannot open a WebSocket to ${url}. Check baseUrl or streamUrl.`, { cause }),
        )
      }
      const end = await this.#session.ended
      if (signal.aborted) return
      this.#interrupted(end.error)
      if (!this.#mayReconnect(end)) return this.#listener.failed(end.error)
      const waitMs = Math.max(end.error.retryAfterMs ?? 0, backOffMs(this.#failures, Math.random))
      this.#failures++
      await pause(waitMs, signal).catch(() => {})
    }
  }

  #interrupted(error: BookreelError): void {
    if (!this.#hasBegun || this.#lostAtMs !== undefined) return
    this.#lostAtMs = Date.now()
    this.#listener.lost(error)
  }

  #mayReconnect({ error, mayReconnect }: SessionEnd): boolean {
    if (!this.#hasBegun) return mayReconnect && this.#failures < this.#endpoint.retries
    return mayReconnect || (error.code === 'rate_limited' && this.#failures < RATE_LIMITED_RETRIES)
  }
}

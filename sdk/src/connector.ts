import { BookreelError } from './bookreel-error.ts'
import type { ServerFrame } from './generated/stream-types.ts'
import { backOffMs, pause } from './retries.ts'
import { type Command, Session, type SessionEnd, type SocketMaker } from './session.ts'

export interface StreamPlace {
  readonly url: string
  readonly key: string | undefined
  readonly Socket: SocketMaker
  /** Tries to reach the service for the first time, after the first. */
  readonly retries: number
}

/** Whom a connection is kept for. */
export interface Listener {
  /** Every frame, in order and at once. */
  receive(frame: ServerFrame): void
  /** What had begun is interrupted. */
  lost(error: BookreelError): void
  /** It makes no sense to go on. */
  failed(error: BookreelError): void
}

/** While the service has not noticed that a connection is dead, that still takes its place. */
const TRIES_FOR_A_PLACE = 10

/** Opens a connection again whenever it ends, until told otherwise. */
export class Connector {
  readonly #place: StreamPlace
  readonly #listener: Listener
  readonly #closed = new AbortController()
  #session: Session | undefined
  #hasBegun = false
  #lostAtMs: number | undefined
  #failures = 0

  constructor(place: StreamPlace, listener: Listener, signal: AbortSignal | undefined, onAbort: () => void) {
    this.#place = place
    this.#listener = listener
    if (signal?.aborted === true) this.#closed.abort()
    else signal?.addEventListener('abort', onAbort, { once: true })
    this.#closed.signal.addEventListener('abort', () => signal?.removeEventListener('abort', onAbort))
  }

  /** What was asked for comes, and is not interrupted. */
  get isUp(): boolean {
    return this.#hasBegun && this.#lostAtMs === undefined && !this.isClosed
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted
  }

  /** The id by which its answer can be told; undefined when there is no connection. */
  send(command: Command): number | undefined {
    return this.#session?.send(command)
  }

  /** What was asked for was granted; says how long it was away if it had begun before. */
  begun(): number | undefined {
    const awayMs = this.#lostAtMs === undefined ? undefined : Date.now() - this.#lostAtMs
    this.#hasBegun = true
    this.#lostAtMs = undefined
    this.#failures = 0
    return awayMs
  }

  /** Ends this connection so that another one follows. */
  restart(): void {
    this.#session?.close()
  }

  close(): void {
    this.#closed.abort()
    this.#session?.close()
  }

  async run(): Promise<void> {
    const { signal } = this.#closed
    const { url, key, Socket } = this.#place
    while (!signal.aborted) {
      const onFrame = (frame: ServerFrame): void => {
        if (!signal.aborted) this.#listener.receive(frame)
      }
      try {
        this.#session = new Session({ url, key, Socket, onFrame })
      } catch (cause) {
        return this.#listener.failed(new BookreelError('network', `There is no way to open ${url}.`, { cause }))
      }
      const end = await this.#session.ended
      if (signal.aborted) return
      this.#interrupted(end.error)
      if (!this.#mayReturn(end)) return this.#listener.failed(end.error)
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

  #mayReturn({ error, mayReturn }: SessionEnd): boolean {
    if (!this.#hasBegun) return mayReturn && this.#failures < this.#place.retries
    return mayReturn || (error.code === 'rate_limited' && this.#failures < TRIES_FOR_A_PLACE)
  }
}

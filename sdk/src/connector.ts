import { BookreelError } from './bookreel-error.ts'
import type { ServerFrame } from './generated/stream-types.ts'
import { backOffMs, pause } from './retries.ts'
import { type Command, type Credentials, Session, type SessionEnd, type SocketMaker } from './session.ts'

export interface StreamEndpoint {
  readonly url: string
  readonly key: string | undefined
  readonly ticket: (() => Promise<string>) | undefined
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

const CLOSED: SessionEnd = { error: new BookreelError('network', 'The stream was closed.'), mayReconnect: false }

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
    while (!signal.aborted) {
      const onFrame = (frame: ServerFrame): void => {
        if (!signal.aborted) this.#listener.receive(frame)
      }
      const end = await this.#open(onFrame)
      if (signal.aborted) return
      this.#interrupted(end.error)
      if (!this.#mayReconnect(end)) return this.#listener.failed(end.error)
      const waitMs = Math.max(end.error.retryAfterMs ?? 0, backOffMs(this.#failures, Math.random))
      this.#failures++
      await pause(waitMs, signal).catch(() => {})
    }
  }

  async #open(onFrame: (frame: ServerFrame) => void): Promise<SessionEnd> {
    try {
      const credentials = await credentialsOf(this.#endpoint)
      if (!this.isClosed) this.#session = openSession(this.#endpoint, credentials, onFrame)
    } catch (error) {
      return { error: error as BookreelError, mayReconnect: isPassing(error as BookreelError) }
    }
    return this.#session?.ended ?? CLOSED
  }

  #interrupted(error: BookreelError): void {
    if (!this.#hasBegun || this.#lostAtMs !== undefined) return
    this.#lostAtMs = Date.now()
    this.#listener.lost(error)
  }

  #mayReconnect(end: SessionEnd): boolean {
    const { error } = end
    // The ticket was too old. If the session has ended, there is no other one.
    const isOldTicket =
      this.#endpoint.ticket !== undefined && error.code === 'unauthenticated' && error.status === undefined
    const mayReconnect = end.mayReconnect || isOldTicket
    if (!this.#hasBegun) return mayReconnect && this.#failures < this.#endpoint.retries
    return mayReconnect || (error.code === 'rate_limited' && this.#failures < RATE_LIMITED_RETRIES)
  }
}

/** Throws a `BookreelError` when there is no ticket. */
export async function credentialsOf({ key, ticket }: StreamEndpoint): Promise<Credentials> {
  if (ticket === undefined) return key === undefined ? undefined : { key }
  try {
    return { ticket: await ticket() }
  } catch (cause) {
    if (cause instanceof BookreelError) throw cause
    throw new BookreelError('network', 'There is no ticket for the stream: its request failed.', { cause })
  }
}

/** Throws a `BookreelError` when the address is none of a WebSocket. */
export function openSession(
  { url, Socket }: StreamEndpoint,
  credentials: Credentials,
  onFrame: (frame: ServerFrame) => void,
): Session {
  try {
    return new Session({ url, credentials, Socket, onFrame })
  } catch (cause) {
    const message = `Cannot open a WebSocket to ${url}. Check baseUrl or streamUrl.`
    throw new BookreelError('network', message, { cause, details: { url } })
  }
}

/** Whether another attempt may succeed: not with a wrong address, when the person is signed out, or without streams in the tier. */
function isPassing({ status, details }: BookreelError): boolean {
  return details?.url === undefined && status !== 401 && status !== 403
}

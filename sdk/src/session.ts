import { BookreelError } from './bookreel-error.ts'
import { deferred } from './deferred.ts'
import type { ClientFrame, Closing, ServerFrame } from './generated/stream-types.ts'

/** The part of the WebSocket interface that is used; browsers, Node and the package `ws` provide it. */
export interface SocketLike {
  send(text: string): void
  close(): void
  onopen: ((event: never) => unknown) | null
  onmessage: ((event: never) => unknown) | null
  onclose: ((event: never) => unknown) | null
  onerror: ((event: never) => unknown) | null
}

export type SocketMaker = new (url: string) => SocketLike

type WithoutId<Frame> = Frame extends { id: unknown } ? Omit<Frame, 'id'> : never
export type Command = WithoutId<ClientFrame>

/** Undefined without a key. */
export type Credentials = { readonly key: string } | { readonly ticket: string } | undefined

export interface SessionOptions {
  readonly url: string
  readonly credentials: Credentials
  readonly Socket: SocketMaker
  /** Called for every frame in order, including replies to commands. */
  onFrame(frame: ServerFrame): void
}

/** How a connection ended. */
export interface SessionEnd {
  readonly error: BookreelError
  readonly mayReconnect: boolean
}

/** Close codes after which reconnecting is useless, in case the `closing` frame was lost. */
const FINAL_CLOSE_CODES = new Set([4001, 4003, 4008])
const WELCOME_WITHIN_MS = 15_000
/** Browsers hide WebSocket pings, so an idle connection is checked with a `ping` command. */
const IDLE_MS = 15_000
const PONG_WITHIN_MS = 10_000

/** One connection, from its opening to its end. */
export class Session {
  readonly #socket: SocketLike
  readonly #options: SessionOptions
  readonly #ended = deferred<SessionEnd>()
  #isOpen = false
  #isWelcome = false
  #closing: Closing | undefined
  #refusal: BookreelError | undefined
  #nextId = 1
  #idleTimer: ReturnType<typeof setTimeout>

  constructor(options: SessionOptions) {
    this.#options = options
    this.#socket = new options.Socket(options.url)
    this.#idleTimer = setTimeout(() => this.#giveUp('The service sent no welcome frame in time.'), WELCOME_WITHIN_MS)
    this.#socket.onopen = () => {
      this.#isOpen = true
      if (options.credentials !== undefined) this.send({ op: 'auth', ...options.credentials })
    }
    this.#socket.onmessage = ({ data }: { data: unknown }) => this.#receive(String(data))
    this.#socket.onerror = () => {}
    this.#socket.onclose = ({ code, reason }: { code: number; reason: unknown }) => this.#end(code, String(reason))
  }

  get ended(): Promise<SessionEnd> {
    return this.#ended.promise
  }

  /** Returns the id of the command, which its reply repeats. */
  send(command: Command): number {
    const id = this.#nextId++
    this.#socket.send(JSON.stringify({ id, ...command }))
    return id
  }

  close(): void {
    this.#socket.close()
    this.#end(1000, '')
  }

  #receive(text: string): void {
    const frame = parse(text)
    if (frame === undefined) return
    this.#restartIdleTimer()
    if (frame.type === 'welcome') this.#isWelcome = true
    if (frame.type === 'closing') this.#closing = frame
    if (frame.type === 'error' && !this.#isWelcome) this.#refusal = new BookreelError(frame.code, frame.message)
    this.#options.onFrame(frame)
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      this.send({ op: 'ping' })
      this.#idleTimer = setTimeout(
        () => this.#giveUp('The stream stopped: no frame and no reply to a ping.'),
        PONG_WITHIN_MS,
      )
    }, IDLE_MS)
  }

  #giveUp(message: string): void {
    this.#refusal ??= new BookreelError('network', message)
    this.#socket.close()
    // A dead connection may take minutes to close, so do not wait for the close event.
    this.#end(1006, message)
  }

  #end(code: number, reason: string): void {
    clearTimeout(this.#idleTimer)
    this.#socket.onmessage = null
    this.#socket.onclose = null
    if (this.#closing !== undefined) {
      const { code: closeCode, message, reconnect, retry_after_ms: retryAfterMs } = this.#closing
      const error = new BookreelError(closeCode, message, { retryAfterMs })
      return this.#ended.resolve({ error, mayReconnect: reconnect })
    }
    const broken = this.#isOpen
      ? 'The stream connection broke.'
      : `No connection to ${this.#options.url}. Check the address, and that the service is running.`
    const text = reason === '' ? broken : reason
    const error = this.#refusal ?? new BookreelError('network', text, { details: { close_code: code } })
    this.#ended.resolve({ error, mayReconnect: !FINAL_CLOSE_CODES.has(code) })
  }
}

function parse(text: string): ServerFrame | undefined {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === 'object' && frame !== null && 'type' in frame ? (frame as ServerFrame) : undefined
  } catch {
    return undefined
  }
}

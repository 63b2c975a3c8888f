import { BookreelError } from './bookreel-error.ts'
import type { ClientFrame, Closing, ServerFrame } from './generated/stream-types.ts'

/** As much of a WebSocket as is used. The global one of browsers and Node fits, and so does that of `ws`. */
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

export interface SessionOptions {
  readonly url: string
  readonly key: string | undefined
  readonly Socket: SocketMaker
  /** Every frame, in order and at once; answers to commands too. */
  onFrame(frame: ServerFrame): void
}

/** How a connection ended. */
export interface SessionEnd {
  readonly error: BookreelError
  readonly mayReturn: boolean
}

/** Codes with which the server says that coming back makes no sense, should the frame with the reason be lost. */
const FINAL_CLOSE_CODES = new Set([4001, 4003, 4008])
const WELCOME_WITHIN_MS = 15_000
/** Pings of the protocol are hidden from browsers, so a quiet connection is asked whether it lives. */
const QUIET_MS = 15_000
const ANSWER_WITHIN_MS = 10_000

/** One connection, from its opening to its end. */
export class Session {
  readonly #socket: SocketLike
  readonly #options: SessionOptions
  readonly #ended = Promise.withResolvers<SessionEnd>()
  #isWelcome = false
  #closing: Closing | undefined
  #refusal: BookreelError | undefined
  #nextId = 1
  #watch: ReturnType<typeof setTimeout>

  constructor(options: SessionOptions) {
    this.#options = options
    this.#socket = new options.Socket(options.url)
    this.#watch = setTimeout(() => this.#giveUp('The stream did not begin in time.'), WELCOME_WITHIN_MS)
    this.#socket.onopen = () => {
      if (options.key !== undefined) this.send({ op: 'auth', key: options.key })
    }
    this.#socket.onmessage = ({ data }: { data: unknown }) => this.#receive(String(data))
    this.#socket.onerror = () => {}
    this.#socket.onclose = ({ code, reason }: { code: number; reason: unknown }) => this.#end(code, String(reason))
  }

  get ended(): Promise<SessionEnd> {
    return this.#ended.promise
  }

  /** The id by which the answer can be told. */
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
    this.#expectMore()
    if (frame.type === 'welcome') this.#isWelcome = true
    if (frame.type === 'closing') this.#closing = frame
    if (frame.type === 'error' && !this.#isWelcome) this.#refusal = new BookreelError(frame.code, frame.message)
    this.#options.onFrame(frame)
  }

  #expectMore(): void {
    clearTimeout(this.#watch)
    this.#watch = setTimeout(() => {
      this.send({ op: 'ping' })
      this.#watch = setTimeout(() => this.#giveUp('The stream fell silent.'), ANSWER_WITHIN_MS)
    }, QUIET_MS)
  }

  #giveUp(message: string): void {
    this.#refusal ??= new BookreelError('network', message)
    this.#socket.close()
    // A dead connection may take minutes to close; nobody waits for that.
    this.#end(1006, message)
  }

  #end(code: number, reason: string): void {
    clearTimeout(this.#watch)
    this.#socket.onmessage = null
    this.#socket.onclose = null
    if (this.#closing !== undefined) {
      const { code: word, message, reconnect, retry_after_ms: retryAfterMs } = this.#closing
      const error = new BookreelError(word, message, { retryAfterMs })
      return this.#ended.resolve({ error, mayReturn: reconnect })
    }
    const words = reason === '' ? 'The stream broke.' : reason
    const error = this.#refusal ?? new BookreelError('network', words, { details: { close_code: code } })
    this.#ended.resolve({ error, mayReturn: !FINAL_CLOSE_CODES.has(code) })
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

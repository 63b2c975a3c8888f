import { BookreelError } from './bookreel-error.ts'
import { Connector, type StreamEndpoint } from './connector.ts'
import type { Ack, Channel, Selector, ServerFrame } from './generated/stream-types.ts'
import { LiveBuffer } from './live-buffer.ts'
import { ReceivedFrames } from './received-frames.ts'
import type { Command } from './session.ts'
import { type Accepted, isData, type Rejected, type StreamEvent, type StreamRequest } from './stream-events.ts'
import { subscribeCommands } from './subscribe-commands.ts'

export interface StreamSettings {
  readonly signal?: AbortSignal | undefined
  /** Maximum number of unread events; default 10,000. */
  readonly bufferSize?: number | undefined
}

const BUFFER_SIZE = 10_000
/** Errors after which a reconnect may succeed. */
export const TEMPORARY_ERRORS: ReadonlySet<string> = new Set(['overloaded', 'store_unavailable'])

/**
 * A live stream, read by one `for await` loop. It reconnects and resumes by itself; `gap` and `skipped` events report
 * missing data. It ends by `close()`, by its signal, by leaving the loop, or with a `BookreelError` when the service
 * refuses to continue.
 */
export class Stream implements AsyncIterable<StreamEvent> {
  readonly #request: StreamRequest
  readonly #connector: Connector
  readonly #buffer: LiveBuffer
  readonly #received = new ReceivedFrames()
  #hasReader = false
  #tier = ''
  /** Commands without a reply yet. */
  readonly #pending = new Map<unknown, Command>()
  #accepted: Accepted[] = []
  #rejected: Rejected[] = []

  constructor(
    endpoint: StreamEndpoint,
    request: StreamRequest,
    { signal, bufferSize = BUFFER_SIZE }: StreamSettings = {},
  ) {
    this.#request = request
    this.#buffer = new LiveBuffer({ limit: bufferSize, isDelta: request.options?.mode === 'delta' })
    const listener = {
      receive: (frame: ServerFrame) => this.#receive(frame),
      lost: ({ code, message }: BookreelError) =>
        this.#buffer.push({ type: 'disconnected', code, message, at: Date.now() }),
      failed: (error: BookreelError) => this.#fail(error),
    }
    this.#connector = new Connector(endpoint, listener, signal, () => this.close())
    if (signal?.aborted === true) this.close()
  }

  /** Ends the stream; events that have arrived can still be read. */
  close(): void {
    this.#connector.close()
    this.#buffer.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#hasReader) throw new TypeError('A stream can be read by one loop only; create another one.')
    this.#hasReader = true
    const running = this.#connector.run()
    try {
      for (let event = await this.#buffer.take(); event !== undefined; event = await this.#buffer.take()) yield event
    } finally {
      this.close()
      await running
    }
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.#tier = frame.tier
        this.#pending.clear()
        return this.#sendAll(subscribeCommands(this.#request, this.#connector.hasBegun ? this.#received : undefined))
      case 'ack':
        return this.#acknowledged(frame)
      case 'error':
        return this.#refused(frame.id, new BookreelError(frame.code, frame.message))
      case 'closing':
      case 'pong':
        return
      case 'gap':
        if (this.#received.admitGap(frame)) this.#buffer.push(frame)
        return
      case 'skipped':
        this.#received.admitSkipped(frame)
        return this.#buffer.push(frame)
      default:
        return this.#pass(frame)
    }
  }

  #pass(event: StreamEvent): void {
    if (!isData(event)) return this.#buffer.push(event)
    const { isNew, skipped } = this.#received.admit(event)
    if (skipped !== undefined) this.#buffer.push(skipped)
    if (isNew) this.#buffer.push(event)
  }

  #sendAll(commands: readonly Command[]): void {
    for (const command of commands) this.#pending.set(this.#connector.send(command), command)
  }

  #acknowledged({ id, accepted = [], rejected = [] }: Ack): void {
    const command = this.#pending.get(id)
    if (command === undefined) return
    this.#pending.delete(id)
    this.#accepted.push(...accepted)
    // A market that is too old to resume is subscribed again; its first frame reveals the missing slots.
    const tooOld = rejected.filter(({ reason }) => reason === 'too_old')
    this.#sendAll(tooOld.map(({ selector, channel }) => this.#subscribe(selector, channel)))
    // Two selectors may include the same market, which is then streamed once: not an error.
    this.#rejected.push(...rejected.filter(({ reason }) => reason !== 'too_old' && reason !== 'already_subscribed'))
    if (this.#pending.size === 0) this.#begun()
  }

  #subscribe(selector: Selector, channel: Channel | undefined): Command {
    const { channels = ['book'], options } = this.#request
    const wanted = channel === undefined ? [...channels] : [channel]
    return { op: 'subscribe', selectors: [selector], channels: wanted, ...(options && { options }) }
  }

  #begun(): void {
    const [accepted, rejected] = [this.#accepted, this.#rejected]
    this.#accepted = []
    this.#rejected = []
    const [first] = rejected
    if (accepted.length === 0 && first !== undefined && !this.#connector.hasBegun) {
      return this.#fail(new BookreelError(first.reason, first.message, { details: { rejected } }))
    }
    const away_ms = this.#connector.begun()
    const details = { accepted, rejected, at: Date.now() }
    if (away_ms === undefined) this.#buffer.push({ type: 'connected', tier: this.#tier, ...details })
    else this.#buffer.push({ type: 'reconnected', away_ms, ...details })
  }

  #refused(id: unknown, error: BookreelError): void {
    if (!this.#pending.has(id)) return
    if (TEMPORARY_ERRORS.has(error.code)) this.#connector.restart()
    else this.#fail(error)
  }

  #fail(error: BookreelError): void {
    this.#buffer.end({ error })
    this.#connector.close()
  }
}

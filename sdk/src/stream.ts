import { BookreelError } from './bookreel-error.ts'
import { Connector, type StreamPlace } from './connector.ts'
import type { Ack, Channel, Selector, ServerFrame } from './generated/stream-types.ts'
import { LiveBuffer } from './live-buffer.ts'
import { Seen } from './seen.ts'
import type { Command } from './session.ts'
import { type Accepted, isData, type Rejected, type StreamEvent, type StreamRequest } from './stream-events.ts'
import { subscribeCommands } from './subscribe-commands.ts'

export interface StreamSettings {
  readonly signal?: AbortSignal | undefined
  /** Events that may wait to be read; default 10,000. */
  readonly bufferSize?: number | undefined
}

const BUFFER_SIZE = 10_000
/** Refusals that another try may not meet. */
export const PASSING_TROUBLES: ReadonlySet<string> = new Set(['overloaded', 'store_unavailable'])

/**
 * A live stream, for one `for await`. It comes back by itself and goes on where it was; what could not be had is told
 * by `gap` and `skipped`. It ends by `close()`, by its signal, by leaving the loop, or by throwing a `BookreelError`
 * when the service refuses to go on.
 */
export class Stream implements AsyncIterable<StreamEvent> {
  readonly #request: StreamRequest
  readonly #connector: Connector
  readonly #buffer: LiveBuffer
  readonly #seen = new Seen()
  #isRead = false
  #tier = ''
  /** Commands whose answers are awaited, and what the answers so far said. */
  readonly #asked = new Map<unknown, Command>()
  #accepted: Accepted[] = []
  #rejected: Rejected[] = []

  constructor(place: StreamPlace, request: StreamRequest, { signal, bufferSize = BUFFER_SIZE }: StreamSettings = {}) {
    this.#request = request
    this.#buffer = new LiveBuffer({ limit: bufferSize, isDelta: request.options?.mode === 'delta' })
    const listener = {
      receive: (frame: ServerFrame) => this.#receive(frame),
      lost: ({ code, message }: BookreelError) =>
        this.#buffer.push({ type: 'disconnected', code, message, at: Date.now() }),
      failed: (error: BookreelError) => this.#fail(error),
    }
    this.#connector = new Connector(place, listener, signal, () => this.close())
    if (signal?.aborted === true) this.close()
  }

  /** Ends the stream; what has arrived is still read. */
  close(): void {
    this.#connector.close()
    this.#buffer.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#isRead) throw new TypeError('A stream is read by one loop only.')
    this.#isRead = true
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
        this.#asked.clear()
        return this.#ask(subscribeCommands(this.#request, this.#connector.hasBegun ? this.#seen : undefined))
      case 'ack':
        return this.#answered(frame)
      case 'error':
        return this.#refused(frame.id, new BookreelError(frame.code, frame.message))
      case 'closing':
      case 'pong':
        return
      case 'gap':
        if (this.#seen.admitGap(frame)) this.#buffer.push(frame)
        return
      case 'skipped':
        this.#seen.admitSkipped(frame)
        return this.#buffer.push(frame)
      default:
        return this.#pass(frame)
    }
  }

  #pass(event: StreamEvent): void {
    if (!isData(event)) return this.#buffer.push(event)
    const { isNew, skipped } = this.#seen.admit(event)
    if (skipped !== undefined) this.#buffer.push(skipped)
    if (isNew) this.#buffer.push(event)
  }

  #ask(commands: readonly Command[]): void {
    for (const command of commands) this.#asked.set(this.#connector.send(command), command)
  }

  #answered({ id, accepted = [], rejected = [] }: Ack): void {
    const command = this.#asked.get(id)
    if (command === undefined) return
    this.#asked.delete(id)
    this.#accepted.push(...accepted)
    // What is too old to be resumed begins anew; the hole is told when its first frame comes.
    const tooOld = rejected.filter(({ reason }) => reason === 'too_old')
    this.#ask(tooOld.map(({ selector, channel }) => this.#subscribe(selector, channel)))
    // Two selectors may mean the same market: then it comes, which is what was wanted.
    this.#rejected.push(...rejected.filter(({ reason }) => reason !== 'too_old' && reason !== 'already_subscribed'))
    if (this.#asked.size === 0) this.#begun()
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
    const words = { accepted, rejected, at: Date.now() }
    if (away_ms === undefined) this.#buffer.push({ type: 'connected', tier: this.#tier, ...words })
    else this.#buffer.push({ type: 'reconnected', away_ms, ...words })
  }

  #refused(id: unknown, error: BookreelError): void {
    if (!this.#asked.has(id)) return
    if (PASSING_TROUBLES.has(error.code)) this.#connector.restart()
    else this.#fail(error)
  }

  #fail(error: BookreelError): void {
    this.#buffer.end({ error })
    this.#connector.close()
  }
}

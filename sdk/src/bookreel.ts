import { BookreelError } from './bookreel-error.ts'
import type { StreamEndpoint } from './connector.ts'
import { Replay } from './replay.ts'
import { planReplay, type ReplayPlan, type ReplayRequest } from './replay-request.ts'
import { plainAddress, RestClient, type RestOptions } from './rest-client.ts'
import type { SocketMaker } from './session.ts'
import { Stream, type StreamSettings } from './stream.ts'
import type { StreamRequest } from './stream-events.ts'

export interface BookreelOptions extends RestOptions {
  /** Instead of a key, for streams of a page of the console: returns a ticket for one connection. */
  readonly ticket?: (() => Promise<string>) | undefined
  /** Address of the stream; default: `/v1/stream` of `baseUrl`. */
  readonly streamUrl?: string | undefined
  /** Default: the global `WebSocket`. */
  readonly WebSocket?: SocketMaker | undefined
}

const RETRIES = 4

/** Client of the service for one key. Methods are grouped as in the API reference: `client.markets.live({ crypto: 'BTC' })`. */
export class Bookreel extends RestClient {
  readonly #streamUrl: string
  readonly #key: string | undefined
  readonly #ticket: (() => Promise<string>) | undefined
  readonly #Socket: SocketMaker | undefined
  readonly #retries: number
  readonly #signal: AbortSignal | undefined

  constructor(options: BookreelOptions) {
    super(options)
    const { key, signal, retries = RETRIES } = options
    this.#streamUrl = options.streamUrl ?? `${plainAddress(options.baseUrl).replace(/^http/, 'ws')}/v1/stream`
    this.#key = key
    this.#ticket = options.ticket
    this.#Socket = options.WebSocket ?? globalThis.WebSocket
    this.#retries = retries
    this.#signal = signal
  }

  /** Streams live books, quotes, trades and market events. The connection opens when the `for await` loop starts. */
  stream(request: StreamRequest, settings: StreamSettings = {}): Stream {
    return new Stream(this.#endpoint(), request, { ...settings, signal: settings.signal ?? this.#signal })
  }

  /** Replays recorded data as the same events. The connection opens when the `for await` loop starts. */
  replay(request: ReplayRequest, { signal = this.#signal }: Pick<StreamSettings, 'signal'> = {}): Replay {
    return new Replay(this.#endpoint(), request, signal)
  }

  /** Returns the number of rows and the price of a replay; free of charge. It opens a connection of its own, which with a ticket takes over the stream of the page. */
  async replayDryRun(request: ReplayRequest): Promise<ReplayPlan> {
    return planReplay(this.#endpoint(), request)
  }

  #endpoint(): StreamEndpoint {
    const Socket = this.#Socket
    if (Socket === undefined) {
      throw new BookreelError(
        'no_websocket',
        'This version of Node has no WebSocket. Use Node 22 or newer, or pass the one of the package ws: new Bookreel({ …, WebSocket }).',
      )
    }
    return { url: this.#streamUrl, key: this.#key, ticket: this.#ticket, Socket, retries: this.#retries }
  }
}

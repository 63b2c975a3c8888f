import { BookreelError } from './bookreel-error.ts'
import type { CallOptions } from './call-options.ts'
import { Caller } from './caller.ts'
import type { StreamEndpoint } from './connector.ts'
import type { OperationInputs } from './generated/api-types.ts'
import { OPERATIONS } from './generated/operations.ts'
import { Resources } from './generated/resources.ts'
import { Replay } from './replay.ts'
import { planReplay, type ReplayPlan, type ReplayRequest } from './replay-request.ts'
import type { SocketMaker } from './session.ts'
import { Stream, type StreamSettings } from './stream.ts'
import type { StreamRequest } from './stream-events.ts'

export interface BookreelOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Address of the service, such as `https://api.example.com`. */
  readonly baseUrl: string
  /** API key; required for everything except the group `public`. */
  readonly key?: string | undefined
  /** Address of the stream; default: `/v1/stream` of `baseUrl`. */
  readonly streamUrl?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Default: the global `WebSocket`. */
  readonly WebSocket?: SocketMaker | undefined
}

const RETRIES = 4

/** Client of the service for one key. Methods are grouped as in the API reference: `client.markets.live({ crypto: 'BTC' })`. */
export class Bookreel extends Resources {
  readonly #caller: Caller
  readonly #streamUrl: string
  readonly #key: string | undefined
  readonly #Socket: SocketMaker | undefined
  readonly #retries: number
  readonly #signal: AbortSignal | undefined

  constructor(options: BookreelOptions) {
    const { key, signal, retries = RETRIES } = options
    const baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '')
    const send = options.fetch ?? ((address, init) => fetch(address, init))
    const caller = new Caller({ ...options, baseUrl, key, fetch: send })
    super(caller)
    this.#caller = caller
    this.#streamUrl = options.streamUrl ?? `${baseUrl.replace(/^http/, 'ws')}/v1/stream`
    this.#key = key
    this.#Socket = options.WebSocket ?? globalThis.WebSocket
    this.#retries = retries
    this.#signal = signal
  }

  /** Calls any operation by its OpenAPI name, in any of its formats. The body is already loaded. */
  request<Name extends keyof OperationInputs>(
    name: Name,
    input: OperationInputs[Name],
    options?: CallOptions,
  ): Promise<Response> {
    return this.#caller.response(OPERATIONS[name], { ...input }, options)
  }

  /** Streams live books, quotes, trades and market events. The connection opens when the `for await` loop starts. */
  stream(request: StreamRequest, settings: StreamSettings = {}): Stream {
    return new Stream(this.#endpoint(), request, { ...settings, signal: settings.signal ?? this.#signal })
  }

  /** Replays recorded data as the same events. The connection opens when the `for await` loop starts. */
  replay(request: ReplayRequest, { signal = this.#signal }: Pick<StreamSettings, 'signal'> = {}): Replay {
    return new Replay(this.#endpoint(), request, signal)
  }

  /** Returns the number of rows and the price of a replay; free of charge. */
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
    return { url: this.#streamUrl, key: this.#key, Socket, retries: this.#retries }
  }
}

import type { CallOptions } from './call-options.ts'
import { Caller } from './caller.ts'
import type { StreamPlace } from './connector.ts'
import type { OperationInputs } from './generated/api-types.ts'
import { OPERATIONS } from './generated/operations.ts'
import { Resources } from './generated/resources.ts'
import { Replay } from './replay.ts'
import { planReplay, type ReplayPlan, type ReplayRequest } from './replay-request.ts'
import type { SocketMaker } from './session.ts'
import { Stream, type StreamSettings } from './stream.ts'
import type { StreamRequest } from './stream-events.ts'

export interface BookreelOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Where the service is, such as `https://api.example.com`. */
  readonly baseUrl: string
  /** Needed for everything but the group `public`. */
  readonly key?: string | undefined
  /** Where streams are, when not at `/v1/stream` of the same address. */
  readonly streamUrl?: string | undefined
  /** Default: the global one. */
  readonly fetch?: typeof fetch | undefined
  /** The same. */
  readonly WebSocket?: SocketMaker | undefined
}

const RETRIES = 4

/** The service, for one key. What can be asked is grouped as in its reference: `client.markets.live({ crypto: 'BTC' })`. */
export class Bookreel extends Resources {
  readonly #caller: Caller
  readonly #place: StreamPlace
  readonly #signal: AbortSignal | undefined

  constructor(options: BookreelOptions) {
    const { key, signal, retries = RETRIES } = options
    const baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '')
    const send = options.fetch ?? ((address, init) => fetch(address, init))
    const caller = new Caller({ ...options, baseUrl, key, fetch: send })
    super(caller)
    this.#caller = caller
    const Socket = options.WebSocket ?? globalThis.WebSocket
    this.#place = { url: options.streamUrl ?? `${baseUrl.replace(/^http/, 'ws')}/v1/stream`, key, Socket, retries }
    this.#signal = signal
  }

  /** Any operation by its name in the OpenAPI document, in any of its formats; the body is read already. */
  request<Name extends keyof OperationInputs>(
    name: Name,
    input: OperationInputs[Name],
    options?: CallOptions,
  ): Promise<Response> {
    return this.#caller.response(OPERATIONS[name], { ...input }, options)
  }

  /** Live books, quotes, trades and news of markets. The connection opens when the loop begins. */
  stream(request: StreamRequest, settings: StreamSettings = {}): Stream {
    return new Stream(this.#place, request, { ...settings, signal: settings.signal ?? this.#signal })
  }

  /** The past in the same events. The connection opens when the loop begins. */
  replay(request: ReplayRequest, { signal = this.#signal }: Pick<StreamSettings, 'signal'> = {}): Replay {
    return new Replay(this.#place, request, signal)
  }

  /** What a replay would bring and cost; free of charge. */
  replayDryRun(request: ReplayRequest): Promise<ReplayPlan> {
    return planReplay(this.#place, request)
  }
}

import type { CallOptions } from './call-options.ts'
import { Caller } from './caller.ts'
import type { OperationInputs } from './generated/api-types.ts'
import { OPERATIONS } from './generated/operations.ts'
import { Resources } from './generated/resources.ts'

export interface RestOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Address of the service, such as `https://api.example.com`. */
  readonly baseUrl: string
  /** API key; required for everything except the group `public`. */
  readonly key?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** Client of the service without streams and replays, for web pages that should stay small. */
export class RestClient extends Resources {
  readonly #caller: Caller

  constructor(options: RestOptions) {
    const send = options.fetch ?? ((address, init) => fetch(address, init))
    const caller = new Caller({ ...options, baseUrl: plainAddress(options.baseUrl), key: options.key, fetch: send })
    super(caller)
    this.#caller = caller
  }

  /** Calls any operation by its OpenAPI name, in any of its formats. The body is already loaded. */
  request<Name extends keyof OperationInputs>(
    name: Name,
    input: OperationInputs[Name],
    options?: CallOptions,
  ): Promise<Response> {
    return this.#caller.response(OPERATIONS[name], { ...input }, options)
  }
}

/** Without a slash at its end. */
export function plainAddress(address: string): string {
  return new URL(address).href.replace(/\/+$/, '')
}

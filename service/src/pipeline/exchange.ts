import type { Admission } from '../access/access-control.ts'
import type { Caller } from '../access/caller.ts'
import type { Receipt } from '../access/credit-charger.ts'
import type { ApiError } from '../domain/api-error.ts'
import type { Capability } from '../domain/tier.ts'
import type { Access, RequestContext, SignedInUser } from '../endpoints/endpoint.ts'
import type { Departure } from './in-time.ts'

export type Transport = 'rest' | 'mcp' | 'stream'

/** Who makes a request: the holder of a key, a person who is signed in, or, with neither, anybody. */
export interface Identity {
  readonly caller?: Caller
  readonly signedInAccountId?: string
}

export interface Admitted {
  readonly caller?: Caller
  readonly user?: SignedInUser
  /** What is left of the caller's rate after this request. */
  readonly rate?: Admission
}

/** What an endpoint says of the price of its answer. */
export interface Priced {
  /** Where it differs from the price of the endpoint. */
  readonly credits?: number
  /** Names what is paid once for 24 hours. */
  readonly heldAs?: string
}

export interface Rendering {
  readonly status: number
  /** False for headers alone and for "not modified", which are free. */
  readonly isDelivered: boolean
  /** Releases what is held open when the answer is not sent. */
  discard?(): void
}

/** What was asked for, read and checked. */
export interface ReadInput<Answered = unknown, Rendered = unknown> {
  /** What the tier must include beyond what the operation requires. */
  readonly requires: readonly Capability[]
  readonly isFree: boolean
  /** Whether it counts for the account's usage. */
  readonly isUse: boolean
  readonly idempotencyKey?: string | undefined
  /** The same for requests that ask for the same. */
  fingerprint(): string
  handle(context: RequestContext, admitted: Admitted): Promise<Answered>
  render(answered: Answered): Promise<Rendered> | Rendered
}

/** A request, before it is read. */
export interface IncomingRequest {
  readonly transport: Transport
  /** An endpoint or a tool. */
  readonly operation: { readonly name: string; readonly access: Access }
  /** What metrics call it; undefined when a call inside it was recorded in its place. */
  readonly route: string | undefined
  readonly requestId: string
  readonly credentials: {
    readonly key?: string | undefined
    readonly ip: string
    readonly sessionToken?: string | undefined
  }
  /** Undefined when calls inside it have a time limit of their own. */
  readonly departure?: Departure
  onAdmitted?(rate: Admission): void
}

/** One request and its reply, as a transport carries them. */
export interface Exchange<Answered, Rendered, Sent> extends IncomingRequest {
  readInput(): Promise<ReadInput<Answered, Rendered>>
  /** Without a receipt where nothing has a price. */
  send(rendered: Rendered, receipt: Partial<Receipt> | undefined): Promise<Sent> | Sent
  refuse(refusal: ApiError): Promise<Sent> | Sent
}

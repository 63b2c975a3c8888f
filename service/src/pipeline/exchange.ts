import type { Admission } from '../access/access-control.ts'
import type { Caller } from '../access/caller.ts'
import type { Receipt } from '../access/credit-charger.ts'
import type { SessionOwner } from '../access/session-access.ts'
import type { ApiError } from '../domain/api-error.ts'
import type { Capability } from '../domain/tier.ts'
import type { Access, RequestContext, SignedInUser } from '../endpoints/endpoint.ts'
import type { OnDisconnect } from './in-time.ts'
import type { PresentedKey } from './presented-key.ts'

export type Transport = 'rest' | 'mcp' | 'stream'

/** The holder of a key or a signed-in user; empty for anonymous requests. */
export interface Identity {
  readonly caller?: Caller
  /** On session endpoints. */
  readonly session?: SessionOwner
}

export interface Admitted {
  readonly caller?: Caller
  readonly user?: SignedInUser
  /** The caller's rate limit after this request. */
  readonly rate?: Admission
}

/** The price of an answer. */
export interface Priced {
  /** Given when it differs from the price of the endpoint. */
  readonly credits?: number
  /** Exact books of the answer, which count on the meter of the day. */
  readonly books?: number
  /** Identifies something that is paid once for 24 hours. */
  readonly heldAs?: string
  /** Free for accounts that paid for `heldAs` before this time. */
  readonly freeIfBoughtBeforeMs?: number | undefined
  /** The newest slot that was read, when rows may still arrive. */
  readonly readUpToSlot?: number | undefined
}

/** What an answer has cost. */
export interface Bill extends Partial<Receipt> {
  /** Exact books of the answer, also when only its headers are sent. */
  readonly books?: number
  /** Free exact books that are left today; undefined while they are not counted. */
  readonly freeBooksLeft?: number | undefined
}

export interface Rendering {
  readonly status: number
  /** False for HEAD and 304 responses, which are free. */
  readonly isDelivered: boolean
  /** Releases open resources when the answer is not sent. */
  discard?(): void
  /** Ends when the content is read or abandoned; the account keeps its place until then. */
  readonly untilSent?: Promise<void>
  /** Equal for equal answers; undefined when the content is not known before it is sent. */
  hash?(): string | undefined
}

/** The validated input of a request. */
export interface ReadInput<Answered = unknown, Rendered = unknown> {
  /** Parameters or arguments by name; the scope may depend on them. */
  readonly given: Readonly<Record<string, unknown>>
  /** Capabilities that this input needs beside those of the operation. */
  readonly requires: readonly Capability[]
  readonly isFree: boolean
  /** Whether the request counts in the account's usage. */
  readonly isUse: boolean
  readonly idempotencyKey?: string | undefined
  /** Equal for equal requests. */
  fingerprint(): string
  handle(context: RequestContext, admitted: Admitted): Promise<Answered>
  render(answered: Answered): Promise<Rendered> | Rendered
}

/** A request, before it is read. */
export interface IncomingRequest {
  readonly transport: Transport
  /** An endpoint or a tool. */
  readonly operation: { readonly name: string; readonly access: Access; readonly priceRule?: string | undefined }
  /** Metric label; undefined when a call inside this request was recorded instead. */
  readonly route: string | undefined
  readonly requestId: string
  readonly credentials: {
    readonly key?: PresentedKey
    readonly ip: string
    readonly sessionToken?: string | undefined
    /** A page of the console asks: the session takes the place of a key. */
    readonly isConsole?: boolean
  }
  /** Undefined disables the time limit; calls inside the request then have their own. */
  readonly onDisconnect?: OnDisconnect
  onAuthenticated?(identity: Identity): void
  onAdmitted?(rate: Admission): void
}

/** One request and its answer over one transport. */
export interface Exchange<Answered, Rendered, Sent> extends IncomingRequest {
  readInput(): Promise<ReadInput<Answered, Rendered>>
  /** Without a receipt for callers who are never charged. */
  send(rendered: Rendered, receipt: Bill | undefined): Promise<Sent> | Sent
  refuse(refusal: ApiError): Promise<Sent> | Sent
}

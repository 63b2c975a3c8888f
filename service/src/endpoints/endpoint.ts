import type { z } from 'zod'
import type { ErrorCode } from '../domain/api-error.ts'
import type { Scope } from '../domain/scope.ts'
import type { Capability, Tier } from '../domain/tier.ts'
import type { StoredKey } from '../stores/accounts/keys.ts'
import type { Stores } from './stores.ts'

/** Who asks, as far as an answer depends on it. */
export interface ApiCaller {
  readonly accountId: string
  readonly keyId: string
  readonly label: string
  readonly tier: Tier
}

/** Who is signed in, on an endpoint of a session. */
export interface SignedInUser {
  readonly accountId: string
  readonly tier: Tier
}

/** What a user can have done with the keys of their account, and with no others. */
export interface KeyManager {
  /** Fault: `key_limit_reached`. The key itself is seen this once. */
  makeKey(request: KeyWishes): Promise<{ readonly key: string; readonly stored: StoredKey }>
  /** False when the account has no such key that works. */
  revokeKey(keyId: string): Promise<boolean>
}

export interface KeyWishes {
  readonly label: string
  /** Default: all. */
  readonly scopes?: readonly Scope[]
  readonly expiresAtMs?: number
  /** Credits a calendar month. */
  readonly creditLimit?: number
}

/** Why there is nothing in an answer that has nothing in it. */
export type EmptyReason = 'no_match' | 'outside_capture' | 'gap' | 'not_recorded_yet' | 'tier' | 'no_trades'

/** What is left for whoever asks. */
export interface CallerContext {
  /** Of the requests of this minute, this one counted. */
  readonly rate: { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }
  spendable(): Promise<{ readonly balance: number; readonly keyLeft?: number }>
  /** Throws `out_of_credits` unless it can be paid or is held already; before work that would not be paid. */
  requireCredits(credits: number, heldAs: string): Promise<void>
}

export interface EndpointRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Undefined on a public endpoint and on one of a session. */
  readonly caller: ApiCaller | undefined
  /** Undefined except on an endpoint of a session. */
  readonly user?: SignedInUser | undefined
  /** The same. */
  readonly keyManager?: KeyManager | undefined
  /** Undefined when there is no caller. */
  readonly callerContext?: CallerContext | undefined
  /** Only on an endpoint of a session; elsewhere the pipeline charges under it. */
  readonly idempotencyKey?: string | undefined
  readonly stores: Stores
  readonly nowMs: number
  /** Fires when the caller has gone or the answer has taken too long. */
  readonly signal: AbortSignal
  /** Throws `tier_not_allowed`, with the status that this endpoint declares for it. */
  readonly require: (capability: Capability) => void
}

/** All of a request but its input. */
export type RequestContext = Omit<EndpointRequest<unknown, unknown, unknown>, 'params' | 'query' | 'body'>

export interface Answer<Reply> {
  readonly body: Reply
  /** What a bare list has no place for; sent as `X-` headers, `totalCount` as `X-Total-Count`. */
  readonly aside?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly emptyReason?: EmptyReason | undefined
  /** Where it differs from the endpoint's price, such as for a dry run. */
  readonly credits?: number
  /** Where it differs from the endpoint's. */
  readonly status?: number
  /** How long others may keep it; nobody may without it. */
  readonly maxAgeSeconds?: number
}

/** How an answer looks as a flat file. The order of columns is part of the contract. */
export interface Table<Reply> {
  readonly columns: readonly string[]
  rows(reply: Reply): readonly Readonly<Record<string, unknown>>[]
  /** Members of the reply that are not rows; they go into `X-` headers. */
  envelope?(reply: Reply): Readonly<Record<string, unknown>>
}

/** An answer whose bytes a store makes by itself, in pieces. */
export interface FileAnswer extends Omit<Answer<never>, 'body'> {
  readonly pieces: AsyncIterable<Uint8Array>
}

/** A file that lies ready, to be sent whole or in parts. */
export interface StoredFileAnswer extends Omit<Answer<never>, 'body'> {
  readonly file: { readonly path: string; readonly name: string; readonly type: string; readonly sha256: string }
  /** Names what is paid once for 24 hours, however often and in however many parts it is fetched. */
  readonly heldAs: string
}

export type Access =
  | 'public'
  /** A browser in which somebody is signed in; an API key is not looked at. */
  | { readonly by: 'session' }
  | KeyAccess

export interface KeyAccess {
  readonly by: 'key'
  /** Without one, any key will do. */
  readonly scope?: Scope
  /** What the tier must include, whatever is asked for. */
  readonly capability?: Capability
  /** What `tier_not_allowed` is told with; the snapshots list declares 402. */
  readonly tierStatus?: 402
  /** For each answer that is delivered. */
  readonly credits?: number
}

export interface EndpointShape<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Reply> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With `{name}` for parameters. */
  readonly path: string
  /** snake_case; names the operation in OpenAPI, the MCP tool and the ledger. */
  readonly name: string
  readonly group: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly params?: Params
  readonly query?: Query
  readonly requestBody?: Body
  readonly reply: z.ZodType<Reply>
  /** Of success; 200 unless given. 204 comes without a body. */
  readonly status?: 201 | 204
  /** Statuses beside it that come with the same reply, and what they say. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** Beyond those that every endpoint of its kind has. */
  readonly errors: readonly ErrorCode[]
  /** Without it, a list has one row for each item and anything else is one row. */
  readonly table?: Table<Reply>
  /** Asked so, it costs nothing: a dry run. */
  isFree?(query: z.output<Query>): boolean
  /** JSON text of a reply, where the general way would be too slow. */
  render?(reply: Reply): string
  /** The same answer as Parquet. */
  parquet?(question: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<FileAnswer>
  /** Asked so, the answer is a stored file and no reply; undefined when this question is not about one. */
  file?(
    question: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<StoredFileAnswer | undefined>
  handle(question: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Answer<Reply>>
}

/** What an endpoint asks of a key; undefined when it asks for none. */
export function keyAccessOf({ access }: Pick<Endpoint, 'access'>): KeyAccess | undefined {
  return access !== 'public' && access.by === 'key' ? access : undefined
}

/** An endpoint whose types no longer matter: the list is full of these. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas beside each handler are what types it; the list only walks them.
export type Endpoint = EndpointShape<any, any, any, any>

/** The identity; it is here so that a handler is typed by the schemas beside it. */
export function endpoint<
  Reply,
  Params extends z.ZodType = z.ZodType<Record<string, never>>,
  Query extends z.ZodType = z.ZodType<Record<string, never>>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(shape: EndpointShape<Params, Query, Body, Reply>): EndpointShape<Params, Query, Body, Reply> {
  return shape
}

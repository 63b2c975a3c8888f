import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { ErrorCode } from '../domain/api-error.ts'
import type { Operator } from '../domain/operator.ts'
import type { PaidRead } from '../domain/paid-read.ts'
import type { Scope } from '../domain/scope.ts'
import type { Capability, Tier } from '../domain/tier.ts'
import type { KeyChanges, StoredKey } from '../stores/accounts/keys.ts'
import type { Deprecation } from './deprecation.ts'
import type { PerpReads } from './shared/perp-reads.ts'
import type { Stores } from './stores.ts'

/** The API key of a request. */
export interface ApiCaller {
  readonly accountId: string
  readonly keyId: string
  readonly label: string
  readonly tier: Tier
}

/** The user of a session. */
export interface SignedInUser {
  readonly accountId: string
  readonly sessionHash: string
  readonly tier: Tier
  /** Undefined for people who are no operators. */
  readonly operator?: Operator
}

/** Creates, changes and revokes keys of the signed-in user's account only. */
export interface KeyManager {
  /** Throws `key_limit_reached`. The key cannot be read again later. */
  makeKey(request: NewKeyRequest): Promise<{ readonly key: string; readonly stored: StoredKey }>
  /** Undefined when the account has no working key with this id. */
  changeKey(keyId: string, changes: KeyChanges): Promise<StoredKey | undefined>
  /** Undefined when the account has no working key with this id. Throws `rotation_running`. The key cannot be read again later. */
  rotateKey(
    keyId: string,
    overlapSeconds: number,
  ): Promise<{ readonly key: string; readonly stored: StoredKey } | undefined>
  /** Undefined when the account has no working key with this id. */
  revokeKey(keyId: string): Promise<{ readonly isInRedis: boolean } | undefined>
}

export interface NewKeyRequest {
  readonly label: string
  /** Default: all. */
  readonly scopes?: readonly Scope[]
  readonly expiresAtMs?: number
  /** Credits per calendar month. */
  readonly creditLimit?: number
}

/** Why an answer is empty. */
export type EmptyReason =
  | 'no_match'
  | 'outside_capture'
  | 'gap'
  | 'not_recorded_yet'
  | 'tier'
  | 'no_trades'
  | 'retention'

/** Rate limit and credits of the caller. */
export interface CallerContext {
  /** Includes this request. */
  readonly rate: { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }
  spendable(): Promise<{ readonly balance: number; readonly keyLeft?: number }>
  /**
   * Throws `out_of_credits` unless the account can pay, retries what it has paid, or has paid for `heldAs`; called before expensive work.
   * `boughtBeforeMs`: having paid at any time before this one is enough.
   */
  requireCredits(credits: number, heldAs?: string, boughtBeforeMs?: number): Promise<void>
  /** Of those that are free today; undefined while Redis is unavailable, when none is counted. */
  readonly freeBooksLeft: number | undefined
  /** The same for an answer with at least so many exact books. */
  requireBooks(atLeast: number): Promise<void>
}

export interface EndpointRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Undefined on public and session endpoints. */
  readonly caller: ApiCaller | undefined
  /** Only on session endpoints. */
  readonly user?: SignedInUser | undefined
  /** Only on session endpoints. */
  readonly keyManager?: KeyManager | undefined
  /** Undefined without a caller. */
  readonly callerContext?: CallerContext | undefined
  /** Only on session endpoints; on others the pipeline uses it for the charge. */
  readonly idempotencyKey?: string | undefined
  /** Only the headers of the answer are sent, free of charge. */
  readonly isHead?: boolean
  readonly stores: Stores
  /** What the tier of the caller may see of perps. */
  readonly perps: PerpReads
  readonly nowMs: number
  /** What to read for a retry of a charged request. */
  readonly paidRead?: PaidRead | undefined
  /** Aborts when the client disconnects or the request takes too long. */
  readonly signal: AbortSignal
  /** Throws `tier_not_allowed` when the tier does not include the capability. */
  readonly require: (capability: Capability) => void
}

/** A request without its input. */
export type RequestContext = Omit<EndpointRequest<unknown, unknown, unknown>, 'params' | 'query' | 'body'>

export interface Answer<Reply> {
  readonly body: Reply
  /** Sent as `X-` headers, for replies that are plain lists: `totalCount` becomes `X-Total-Count`. */
  readonly aside?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly emptyReason?: EmptyReason | undefined
  /** Replaces the price of the endpoint, such as for a dry run. */
  readonly credits?: number
  /** How many exact books are in a body, which may be shorter than that of the answer. They count on the meter of the day. */
  exactBooks?(body: Reply): number
  /** Replaces the status of the endpoint. */
  readonly status?: number
  /** `max-age` for HTTP caches; without it the answer must not be cached. */
  readonly maxAgeSeconds?: number
  /** The newest slot that was read. A retry of a charged request reads no further. */
  readonly readUpToSlot?: number | undefined
  /** Of an endpoint with `keepsAnswers`: equal for equal bodies. */
  readonly keptAs?: string
}

/** The answer as CSV, TSV or Parquet. The order of columns is part of the public interface. */
export interface Table<Reply> {
  readonly columns: readonly string[]
  rows(reply: Reply): readonly Readonly<Record<string, unknown>>[]
  /** Members of the reply that the rows contain; every other member is sent as an `X-` header. Default: none. */
  readonly inRows?: readonly string[] | 'all'
}

/** An answer whose bytes are streamed from a store. */
export interface FileAnswer extends Omit<Answer<never>, 'body'> {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly rowCount: number
  /** Members of the reply that are not rows; sent as `X-` headers. */
  readonly envelope: Readonly<Record<string, unknown>>
}

/** A list of any length, which is read while it is sent. */
export interface StreamedAnswer extends Omit<Answer<never>, 'body'> {
  /** Members of the reply before its rows. */
  readonly envelope: Readonly<Record<string, unknown>>
  /** The member with the rows, which is the last one. */
  readonly rowsMember: string
  /** When it is known. */
  readonly rowCount?: number | undefined
  /** In pieces; the signal aborts when nobody reads them. */
  rows(signal: AbortSignal): AsyncIterable<readonly Readonly<Record<string, unknown>>[]>
}

interface NamedFile {
  readonly name: string
  readonly type: string
  readonly sha256: string
  readonly revision: number
}

/** A file on the disk of this process. */
export interface LocalFile extends NamedFile {
  readonly path: string
}

/** A file in object storage. */
export interface RemoteFile extends NamedFile {
  readonly bytes: number
  /** The whole file, or the bytes from `start` up to, but not including, `end`. */
  readonly open: (part?: { readonly start: number; readonly end: number }) => Promise<Readable>
}

/** A file that is sent whole or in ranges. */
export interface StoredFileAnswer extends Omit<Answer<never>, 'body'> {
  readonly file: LocalFile | RemoteFile
  /** Id of the file in the ledger: it is charged once in 24 hours, also for several downloads or ranges. */
  readonly heldAs: string
  /** Free for accounts that bought it before this time: it was corrected then. */
  readonly freeIfBoughtBeforeMs?: number | undefined
}

export type Access =
  | 'public'
  /** A signed-in browser; API keys are ignored. */
  | SessionAccessRule
  | KeyAccess

interface SessionAccessRule {
  readonly by: 'session'
  /** For everybody else the path does not exist. */
  readonly isForOperators?: true
}

export interface KeyAccess {
  readonly by: 'key'
  /** Without a scope, every key is accepted. */
  readonly scope?: Scope
  /** Parameters with which a request needs another scope, such as a time in the past. */
  readonly scopeWith?: Readonly<Record<string, Scope>>
  /** The tier must include it, whatever the parameters. */
  readonly capability?: Capability
  /** HTTP status of `tier_not_allowed`; default 403. */
  readonly tierStatus?: 402
  /** Whether a request runs inside the concurrency limit of its account; those with the scope `history` always do. */
  readonly isExpensive?: (query: Readonly<Record<string, unknown>>) => boolean
  /** Price of a successful answer. */
  readonly credits?: number
}

/** How an endpoint answers in one form. */
export interface AnswerForm<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Reply> {
  readonly reply: z.ZodType<Reply>
  /** Default: one row per item of a list, one row for everything else. */
  readonly table?: Table<Reply> | undefined
  /** Replaces `JSON.stringify` where that is too slow. */
  readonly render?: ((reply: Reply) => string) | undefined
  handle(request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Answer<Reply>>
}

export interface EndpointShape<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply,
  Declared = unknown,
> extends AnswerForm<Params, Query, Body, Reply> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{name}` for parameters. */
  readonly path: string
  /** snake_case; names the operation in OpenAPI, the MCP tool and the ledger. */
  readonly name: string
  readonly group: string
  readonly summary: string
  readonly description?: string
  /** Announced in every answer and in the documents. */
  readonly deprecated?: Deprecation
  readonly access: Access
  readonly params?: Params
  readonly query?: Query
  readonly requestBody?: Body
  /** What the header `Idempotency-Key` does, on a session endpoint that reads it; others use it for the charge. */
  readonly idempotency?: string
  /** HTTP status of success; default 200. 204 has no body. */
  readonly status?: 201 | 204
  /** Other HTTP statuses with the same reply, and their descriptions. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** In addition to the errors that every endpoint with this access has. */
  readonly errors: readonly ErrorCode[]
  /** The answer to `form=declared`; an endpoint without it does not have the parameter. */
  readonly declared?: AnswerForm<Params, Query, Body, Declared>
  /** What the price depends on, for the documents; for answers whose price is not the one of `access`. */
  readonly priceRule?: string
  /** Its JSON is rendered and compressed once for each `keptAs`, because everybody may ask for it. */
  readonly keepsAnswers?: true
  /** True for a query that costs nothing, such as a dry run. */
  isFree?(query: z.output<Query>): boolean
  /** The same answer as Parquet. */
  readonly parquet?:
    | ((request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>) => Promise<FileAnswer>)
    | undefined
  /** The list that answers the request over HTTP in place of `handle`; undefined when `handle` does. */
  readonly stream?:
    | ((
        request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
      ) => Promise<StreamedAnswer | undefined>)
    | undefined
  /** The file that answers the request; undefined when `handle` answers it. */
  file?(
    request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<StoredFileAnswer | FileAnswer | undefined>
}

/** Undefined when the endpoint needs no key. */
export function keyAccessOf({ access }: Pick<Endpoint, 'access'>): KeyAccess | undefined {
  return access !== 'public' && access.by === 'key' ? access : undefined
}

/** The scope that a request with these parameters needs. */
export function scopeFor(
  { scope, scopeWith = {} }: Pick<KeyAccess, 'scope' | 'scopeWith'>,
  given: Readonly<Record<string, unknown>>,
): Scope | undefined {
  const other = Object.keys(scopeWith).find((parameter) => given[parameter] !== undefined)
  return other === undefined ? scope : scopeWith[other]
}

/** An endpoint of any types, for the list of endpoints. */
// biome-ignore lint/suspicious/noExplicitAny: each handler is typed by its schemas; the list only iterates.
export type Endpoint = EndpointShape<any, any, any, any, any>

/** Returns its argument; it exists so that the schemas determine the types of the handler. */
export function endpoint<
  Reply,
  Params extends z.ZodType = z.ZodType<Record<string, never>>,
  Query extends z.ZodType = z.ZodType<Record<string, never>>,
  Body extends z.ZodType = z.ZodType<undefined>,
  Declared = unknown,
>(shape: EndpointShape<Params, Query, Body, Reply, Declared>): EndpointShape<Params, Query, Body, Reply, Declared> {
  return shape
}

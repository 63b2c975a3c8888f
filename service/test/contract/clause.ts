import type { Answered, TestService } from '@bookreel/testbed/service/test-service'
import type { ErrorCode } from '../../src/domain/api-error.ts'
import type { Tier } from '../../src/domain/tier.ts'

/**
 * The caller: nobody, an account of a tier, a caller with an invalid or revoked key or with a key of one scope
 * (enterprise), an account without credits and free exact books (pro), an account that has used up its rate limit (free), an account used
 * only for credit tests (enterprise), a signed-in user (free), a signed-in user who creates keys (pro), one of the
 * scale tier.
 */
export type Caller =
  | 'nobody'
  | Tier
  | 'malformed key'
  | 'revoked key'
  | 'key for live'
  | 'key for history'
  | 'no credits'
  | 'rate used up'
  | 'own account'
  | SignedInUser

export type SignedInUser = 'member' | 'key maker' | 'scale member'

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
  /** The clock of the service shows this time; otherwise it stands at the time of the scene. */
  readonly atMs?: number
  /** The clock of the service is ahead by that much, as if no data had arrived since. */
  readonly aheadMs?: number
}

/** The running service with its data, as checks use it. */
export interface ContractScene {
  readonly service: TestService
  /** The time at which the clock of the service stands. */
  readonly nowMs: number
  /** Replaces the `{names}` of a request by the values of the scene, encoded for an address. */
  fill(template: string): string
  /** The value of a name, as it is. */
  value(name: string): string
  /** Another request. */
  ask(as: Caller, template: string, request?: Request): Promise<Answered>
}

/** Asserts something specific about an answer; what holds for every answer is checked for every case. */
export type Check = (answer: Answered, scene: ContractScene) => void | Promise<void>

/** One request that shows that a clause holds. */
export interface Case extends Request {
  readonly as: Caller
  /** Path and query, with `{names}` of the scene. */
  readonly request: string
  /** Default: 200. */
  readonly status?: number
  readonly error?: ErrorCode
  readonly check: Check
}

/** One fact about the interface, and the requests that show it. */
export interface Clause {
  /** Part of the interface, or `added`. */
  readonly section: string
  /** One plain sentence. */
  readonly says: string
  readonly cases: readonly Case[]
}

export function clause(section: string, says: string, cases: readonly Case[]): Clause {
  return { section, says, cases }
}

/** A request that is served. */
export function served(as: Caller, request: string, check: Check, options: Request = {}): Case {
  return { as, request, check, ...options }
}

/** A request that is refused with that error. */
export function refused(
  as: Caller,
  request: string,
  [status, error]: readonly [number, ErrorCode],
  check: Check,
  options: Request = {},
): Case {
  return { as, request, status, error, check, ...options }
}

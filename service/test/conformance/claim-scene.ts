import type { Answered, TestService } from '@bookreel/testbed/service/test-service'
import type { Tier } from '../../src/domain/tier.ts'

/**
 * The caller: nobody, an account of a tier, a caller with an invalid or revoked key, an account without
 * credits (pro), an account that has used up its rate limit (free), an account used only for credit tests
 * (enterprise), a signed-in user (free), a signed-in user who creates keys (pro), a signed-in user of the scale tier.
 */
export type Caller =
  | 'nobody'
  | Tier
  | 'malformed key'
  | 'revoked key'
  | 'no credits'
  | 'rate used up'
  | 'own account'
  | SignedInUser

export type SignedInUser = 'member' | 'key maker' | 'scale member'

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
  /** The clock of the service is ahead by that much, as if no data had arrived since. */
  readonly aheadMs?: number
  /** The clock of the service shows exactly this time. */
  readonly atMs?: number
  /** The clock of the service shows the time that the scene has under this name. */
  readonly at?: string
}

/** The running service with its data, as checks use it. */
export interface ClaimScene {
  readonly service: TestService
  /** Replaces the `{names}` of a request by the values of the scene, encoded for an address. */
  fill(template: string): string
  /** The value of a name, as it is. */
  value(name: string): string
  /** Another request. */
  ask(as: Caller, template: string, request?: Request): Promise<Answered>
}

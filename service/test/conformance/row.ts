import type { Answered } from '@bookreel/testbed/service/test-service'
import type { ErrorCode } from '../../src/domain/api-error.ts'
import type { Tier } from '../../src/domain/tier.ts'

/**
 * The caller: nobody, an account of a tier, a caller with an invalid or revoked key, an account without
 * credits (pro), an account that has used up its rate limit (free), an account used only for credit tests
 * (enterprise), a signed-in user (free), a signed-in user who creates keys (pro).
 */
export type AskedAs =
  | 'nobody'
  | Tier
  | 'malformed key'
  | 'revoked key'
  | 'no credits'
  | 'rate used up'
  | 'own account'
  | SignedInAs

export type SignedInAs = 'member' | 'key maker'

/** The part of the scene that checks use. */
export interface RowScene {
  /** Replaces the `{names}` of a request by the values of the scene. */
  fill(template: string): string
  /** Another request, checked like that of a row. */
  ask(as: AskedAs, template: string, asking?: Omit<Asking, 'as'>): Promise<Answered>
}

export interface Asking {
  readonly as: AskedAs
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
  /** The clock of the service is ahead by that much, as if no data had arrived since. */
  readonly aheadMs?: number
}

/** One statement of the interface, checked against the running service. */
export interface Row extends Asking {
  /** Part of the interface that it checks. */
  readonly section: string
  /** Template of the address, as published; undefined for one that is not served. */
  readonly endpoint: string | undefined
  /** With `{names}` of the scene. */
  readonly request: string
  /** The statement in plain words; rows that check the same statement share it. */
  readonly shows: string
  readonly status: number
  readonly error?: ErrorCode
  readonly check?: (answer: Answered, scene: RowScene) => void | Promise<void>
}

/** Rows of one section that share all members except those given for each. */
export function rowsOf(section: string, rows: readonly Omit<Row, 'section'>[]): Row[] {
  return rows.map((row) => ({ section, ...row }))
}

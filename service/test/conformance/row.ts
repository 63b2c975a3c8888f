import type { Answered } from '@bookreel/testbed/service/test-service'
import type { ErrorCode } from '../../src/domain/api-error.ts'
import type { Tier } from '../../src/domain/tier.ts'

/**
 * Who asks: nobody, an account of a tier, someone with a key that is none or no longer is one, an account without
 * credits (pro), an account that has just used up its rate (free), an account that only money is counted with
 * (enterprise), somebody who is signed in (free), somebody signed in who makes keys (pro).
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

/** What checks need of the scene that rows are asked in. */
export interface RowScene {
  /** A request with its `{names}` replaced by what the scene has under them. */
  fill(template: string): string
  /** Another request, checked like that of a row. */
  ask(as: AskedAs, template: string, asking?: Omit<Asking, 'as'>): Promise<Answered>
}

export interface Asking {
  readonly as: AskedAs
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
  /** Asked of a service whose clock is that much ahead: the same as if nothing had come since. */
  readonly aheadMs?: number
}

/** One thing that the interface says, asked of the running service. */
export interface Row extends Asking {
  /** Part of the interface that it shows. */
  readonly section: string
  /** Template of the address, as published; undefined for one that is not served. */
  readonly endpoint: string | undefined
  /** With `{names}` of the scene. */
  readonly request: string
  /** In our own words; rows that show the same thing share them. */
  readonly shows: string
  readonly status: number
  readonly error?: ErrorCode
  readonly check?: (answer: Answered, scene: RowScene) => void | Promise<void>
}

/** Rows of one section that share all but what is given for each. */
export function rowsOf(section: string, rows: readonly Omit<Row, 'section'>[]): Row[] {
  return rows.map((row) => ({ section, ...row }))
}

import type { ErrorCode } from '../../src/domain/api-error.ts'
import { type Check, type Claim, claim } from './claim.ts'
import type { Caller, ClaimScene, Request } from './claim-scene.ts'

/** A request in the older form, which names its statement itself. */
export interface Row extends Request {
  readonly as: Caller
  readonly section: string
  readonly endpoint: string | undefined
  readonly request: string
  readonly shows: string
  readonly status: number
  readonly error?: ErrorCode
  readonly check?: Check
}

export type RowScene = ClaimScene

export function rowsOf(section: string, rows: readonly Omit<Row, 'section'>[]): Row[] {
  return rows.map((row) => ({ section, ...row }))
}

/** Rows with the same statement become one claim. */
export function claimsOf(topic: string, rows: readonly Row[]): Claim[] {
  return [...Map.groupBy(rows, ({ section, shows }) => `${section} ${shows}`).values()].map((group, index) => {
    const { section = '', shows = '' } = group[0] ?? {}
    const cases = group.map(({ section: _section, shows: _shows, endpoint: _endpoint, check, ...rest }) => ({
      ...rest,
      check: check ?? (() => {}),
    }))
    return claim(section, `${topic}.${index}`, shows, cases)
  })
}

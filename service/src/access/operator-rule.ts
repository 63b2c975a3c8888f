import type { Operator } from '../domain/operator.ts'
import type { StoredSession } from '../stores/accounts/sessions.ts'

/** Undefined for people who are no operators. */
export type OperatorOf = (
  session: Pick<StoredSession, 'accountId' | 'idToken' | 'name' | 'email'>,
) => Operator | undefined

type Claims = Readonly<Record<string, unknown>>

/**
 * Who is an operator, from `OPERATOR_CLAIM`: `name` is a claim that must be true, `name=value` one that is the value or
 * a list with it. The claims are those of the ID token, which was checked at the sign-in and is kept with the session,
 * so another setting also counts for open sessions.
 */
export function operatorRule(setting: string | undefined): OperatorOf {
  if (setting === undefined) return () => undefined
  const [name = '', ...rest] = setting.split('=')
  const value = rest.length === 0 ? undefined : rest.join('=')
  return (session) => {
    const claims = claimsIn(session.idToken)
    if (!Object.hasOwn(claims, name) || !fits(claims[name], value)) return undefined
    return {
      name: session.name || session.email || session.accountId,
      ...(typeof claims.auth_time === 'number' && { provedAtMs: claims.auth_time * 1_000 }),
    }
  }
}

function fits(claim: unknown, value: string | undefined): boolean {
  if (value === undefined) return claim === true
  return claim === value || (Array.isArray(claim) && claim.includes(value))
}

/** None when the token can't be read. */
function claimsIn(idToken: string): Claims {
  try {
    const [, payload = ''] = idToken.split('.')
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? (claims as Claims) : {}
  } catch {
    return {}
  }
}

import { IdentityProvider } from '../access/identity-provider.ts'
import { operatorRule } from '../access/operator-rule.ts'
import type { Config } from '../config.ts'
import { LOOPBACK_HOSTS } from '../domain/loopback.ts'
import type { SignIn } from '../http/sign-in.ts'
import { People } from '../stores/accounts/people.ts'
import type { Access } from './open-access.ts'

/** Undefined without an identity provider. Throws when settings are missing, or when cookies would be sent over HTTP. */
export function openSignIn(config: Config, access: Access): SignIn | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, PUBLIC_URL } = config
  const given = [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET].filter((each) => each !== undefined)
  if (given.length === 0) return undefined
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined || OIDC_CLIENT_SECRET === undefined) {
    throw new Error('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must all be set, or none of them')
  }
  if (PUBLIC_URL === undefined)
    throw new Error('PUBLIC_URL is not set; sign-in needs it, because the identity provider redirects to it')
  const { origin } = safeAddress('PUBLIC_URL', PUBLIC_URL)
  const provider = new IdentityProvider({
    issuer: safeAddress('OIDC_ISSUER', OIDC_ISSUER),
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    redirectUri: new URL('/auth/callback', origin),
    trustsEmails: config.OIDC_TRUST_EMAILS,
  })
  const operatorOf = operatorRule(config.OPERATOR_CLAIM)
  return { provider, sessions: access.sessions, people: new People(access.database), origin, operatorOf }
}

function safeAddress(name: string, text: string): URL {
  const address = new URL(text)
  const isLocal = address.protocol === 'http:' && LOOPBACK_HOSTS.includes(address.hostname)
  if (address.protocol === 'https:' || isLocal) return address
  throw new Error(`${name} must be https; http is allowed only for localhost`)
}

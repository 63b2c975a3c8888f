import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientError,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { ApiError } from '../domain/api-error.ts'
import { RECENT_PROOF_MS } from '../domain/operator.ts'
import type { Person } from '../stores/accounts/people.ts'
import type { PendingSignIn } from '../stores/accounts/sessions.ts'

export interface IdentityProviderOptions {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: string
  /** Address to which the provider sends browsers back. */
  readonly redirectUri: URL
  /** Whether addresses count as verified when the provider does not say so. */
  readonly trustsEmails: boolean
}

export interface Identity extends Person {
  readonly idToken: string
}

const SCOPE = 'openid email profile'
const TIMEOUT_SECONDS = 5
const RETRY_SECONDS = 5
const MAX_CLAIM_LENGTH = 200
/** Error codes of an unavailable provider; every other code is a failed sign-in. */
const UNAVAILABLE_CODES = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])

/** OpenID Connect provider. Its configuration is fetched at the first sign-in, and again after a failure. */
export class IdentityProvider {
  readonly #options: IdentityProviderOptions
  #discovered: Promise<Configuration> | undefined

  constructor(options: IdentityProviderOptions) {
    this.#options = options
  }

  /**
   * The address for the browser, and the values that its return is checked against. `isAgain`: the provider asks the
   * person to prove who they are, also one who is still signed in there. Throws `sign_in_unavailable`.
   */
  async begin({
    isAgain,
  }: {
    readonly isAgain: boolean
  }): Promise<{ address: URL; expected: Pick<PendingSignIn, 'state' | 'nonce' | 'codeVerifier'> }> {
    const configuration = await this.#configuration()
    const expected = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
    const address = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#options.redirectUri.href,
      scope: SCOPE,
      state: expected.state,
      nonce: expected.nonce,
      code_challenge: await calculatePKCECodeChallenge(expected.codeVerifier),
      code_challenge_method: 'S256',
      // With `max_age` the ID token tells when the person proved who they are.
      ...(isAgain && { prompt: 'login', max_age: String(RECENT_PROOF_MS / 1_000) }),
    })
    return { address, expected }
  }

  /** The person who signed in, from the query of the redirect. Throws `sign_in_failed` or `sign_in_unavailable`. */
  async finish(search: string, { state, nonce, codeVerifier }: PendingSignIn): Promise<Identity> {
    const configuration = await this.#configuration()
    const returned = new URL(this.#options.redirectUri)
    returned.search = search
    try {
      const tokens = await authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
      })
      const claims = tokens.claims()
      if (claims === undefined || tokens.id_token === undefined)
        throw signInFailed('the identity provider sent no ID token')
      return { ...personOf(claims, this.#options.trustsEmails), idToken: tokens.id_token }
    } catch (error) {
      throw signInError(error)
    }
  }

  /** The address that ends the session at the provider; undefined when the provider has none. */
  async endSessionUrl(idToken: string, returnTo: URL): Promise<URL | undefined> {
    const configuration = await this.#configuration()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    return buildEndSessionUrl(configuration, { id_token_hint: idToken, post_logout_redirect_uri: returnTo.href })
  }

  #configuration(): Promise<Configuration> {
    this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = undefined
      throw unavailable(error)
    })
    return this.#discovered
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options
    return discovery(issuer, clientId, undefined, ClientSecretBasic(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      // The signature of the ID token counts too: its claims tell who is an operator. The settings allow plain HTTP only
      // for a provider on this machine.
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    })
  }
}

/** Operators find accounts by these addresses, so one that may be that of somebody else is left out. */
function personOf({ iss, sub, email, name, email_verified: isVerified }: IDToken, trustsEmails: boolean): Person {
  const isOwn = isVerified === true || (isVerified === undefined && trustsEmails)
  return {
    issuer: iss,
    subject: sub,
    ...(typeof email === 'string' && isOwn && { email: readable(email) }),
    ...(typeof name === 'string' && { name: readable(name) }),
  }
}

function readable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_CLAIM_LENGTH)
}

function signInError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof AuthorizationResponseError) return signInFailed(`the identity provider answered ${error.error}`)
  if (error instanceof ResponseBodyError) {
    return error.error === 'invalid_grant'
      ? signInFailed('the sign-in code was already used or has expired')
      : unavailable(error)
  }
  const code = error instanceof ClientError ? error.code : undefined
  const isUnavailable = code === undefined ? true : UNAVAILABLE_CODES.has(code)
  return isUnavailable
    ? unavailable(error)
    : signInFailed('the answer of the identity provider does not match this sign-in')
}

export function signInFailed(reason: string): ApiError {
  return new ApiError('sign_in_failed', `The sign-in was not completed: ${reason}. Please sign in again.`)
}

/** Keeps only the messages of the cause, because the object may contain a code or a token. */
function unavailable(error: unknown): ApiError {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error))
  const deeper = cause instanceof Error ? `: ${cause.message}` : ''
  return new ApiError('sign_in_unavailable', 'The identity provider does not answer. Try again in a moment.', {
    retryAfterSeconds: RETRY_SECONDS,
    cause: new Error(`${name}: ${message}${deeper}`),
  })
}

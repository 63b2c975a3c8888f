/** Runs the identity provider in this process: `node identity-launcher.ts <settings file>`. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider, { interactionPolicy } from 'oidc-provider'
import { type IdentitySettings, OPERATORS } from './identity.ts'
import { signInPage, signOutPage } from './identity-pages.ts'

const [settingsFile] = process.argv.slice(2)
if (!settingsFile) process.exit(2)
const settings = JSON.parse(readFileSync(settingsFile, 'utf8')) as IdentitySettings

const SIGN_IN = '/sign-in/'
const MAX_NAME_LENGTH = 200

// Native clients get a consent prompt at each sign-in; this client is "native" only because of its loopback address.
const policy = interactionPolicy.base()
policy.get('consent')?.checks.remove('native_client_prompt')

const provider = new Provider(settings.issuer, {
  clients: [
    {
      client_id: settings.clientId,
      client_secret: settings.clientSecret,
      // For native clients any port of a loopback redirect address is accepted.
      application_type: 'native',
      redirect_uris: [...settings.redirectUris],
      post_logout_redirect_uris: [...settings.afterLogoutUris],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
  conformIdTokenClaims: false,
  cookies: { keys: [settings.clientSecret] },
  pkce: { required: () => true },
  features: {
    devInteractions: { enabled: false },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource(context, form) {
        context.body = signOutPage(form)
      },
    },
  },
  interactions: { policy, url: (_context, { uid }) => `${SIGN_IN}${uid}` },
  async findAccount(_context, name) {
    const email = name.includes('@') ? name : `${name}@example.test`
    return {
      accountId: name,
      claims: async () => ({
        sub: name,
        name: nameOf(email),
        email,
        ...(!email.startsWith('unclaimed.') && { email_verified: !email.startsWith('unverified.') }),
        groups: isOperator(email) ? [OPERATORS] : [],
      }),
    }
  },
  /** Signing in grants consent, because this provider shows no consent page. */
  async loadExistingGrant({ oidc }) {
    const { client, session } = oidc
    if (client === undefined || session?.accountId === undefined) return undefined
    const known = session.grantIdFor(client.clientId)
    const kept = known === undefined ? undefined : await provider.Grant.find(known)
    if (kept !== undefined) return kept
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
})

async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await provider.interactionDetails(request, response)
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(signInPage())
    return
  }
  const name = new URLSearchParams(await text(request)).get('name')?.trim().slice(0, MAX_NAME_LENGTH) ?? ''
  const result = name === '' ? { error: 'access_denied' } : { login: { accountId: name } }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

/** `operator@example.test`, and names that begin with `operator.` */
function isOperator(email: string): boolean {
  return /^operator[.@]/.test(email)
}

/** `ada.lovelace@example.test` becomes `Ada Lovelace`. */
function nameOf(email: string): string {
  const words = email
    .split('@', 1)
    .join('')
    .split(/[._-]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}

const handle = provider.callback()
const server = createServer((request, response) => {
  if (!request.url?.startsWith(SIGN_IN)) return void handle(request, response)
  signIn(request, response).catch((error: Error) => {
    response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end(`${error.message}\n`)
  })
})
server.listen(settings.port, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Engine, PlanningContext } from './engine.ts'

export interface IdentityPlan {
  readonly kind: 'identity'
  readonly id: 'identity'
  readonly folder: string
  readonly port: number
  readonly clientId: string
  readonly clientSecret: string
}

/** Settings of the launcher, in a file that only its owner can read. */
export interface IdentitySettings {
  readonly port: number
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Allowed redirect addresses after sign-in; any port of a loopback address is accepted. */
  readonly redirectUris: readonly string[]
  readonly afterLogoutUris: readonly string[]
}

/** Group of the people who operate the service. */
export const OPERATORS = 'operators'
const LOOPBACKS = ['http://127.0.0.1', 'http://localhost']

export async function planIdentity({ dir, ports, newPassword }: PlanningContext): Promise<IdentityPlan> {
  return {
    kind: 'identity',
    id: 'identity',
    folder: join(dir, 'identity'),
    port: await ports.take(),
    clientId: 'bookreel',
    clientSecret: newPassword(),
  }
}

/** An OpenID Connect provider that accepts any name without a password, and names an operator by the name: for development and tests only. */
export function identity({ folder, port, clientId, clientSecret }: IdentityPlan): Engine {
  const settingsFile = join(folder, 'settings.json')
  const launcher = fileURLToPath(new URL('./identity-launcher.ts', import.meta.url))
  const issuer = `http://127.0.0.1:${port}`
  return {
    address: issuer,
    variables: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OPERATOR_CLAIM: `groups=${OPERATORS}`,
    },
    command: { program: { path: process.execPath }, args: [launcher, settingsFile] },
    stopBy: 'SIGTERM',

    async prepare() {
      await mkdir(folder, { recursive: true })
      const settings: IdentitySettings = {
        port,
        issuer,
        clientId,
        clientSecret,
        redirectUris: LOOPBACKS.map((address) => `${address}/auth/callback`),
        afterLogoutUris: LOOPBACKS.map((address) => `${address}/app`),
      }
      await writeFile(settingsFile, JSON.stringify(settings), { mode: 0o600 })
    },

    async probe(signal) {
      const answer = await fetch(`${issuer}/.well-known/openid-configuration`, { signal })
      if (!answer.ok) throw new Error(`The identity provider answered ${answer.status}`)
    },
  }
}

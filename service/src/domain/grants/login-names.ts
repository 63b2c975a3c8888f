/** The parts of the service that need a login of their own, and the commands of operators. */
export const GRANTEES = [
  'capture',
  'archive',
  'hot',
  'catalogue',
  'api',
  'gateway',
  'payments',
  'prober',
  'files',
  'operator',
] as const
export type Grantee = (typeof GRANTEES)[number]

/** Every login with the roles that its process runs. A process with several roles needs what all of them need. */
export const LOGINS = {
  capture: ['capture'],
  archive: ['archive'],
  hot: ['hot'],
  catalogue: ['catalogue'],
  api: ['api'],
  gateway: ['gateway'],
  payments: ['payments'],
  prober: ['prober'],
  files: ['files'],
  operator: ['operator'],
  recorder: ['capture', 'archive', 'hot', 'catalogue'],
  background: ['payments', 'prober', 'files'],
} as const satisfies Readonly<Record<string, readonly Grantee[]>>
export type LoginName = keyof typeof LOGINS

export const LOGIN_NAMES = Object.keys(LOGINS) as LoginName[]

/** One user name with its password; while passwords are rotated, a login has two. */
export interface Login {
  readonly name: LoginName
  readonly user: string
  readonly password: string
}

/** What the roles of a login need together, each entry once. */
export function unionOf(name: LoginName, granted: Readonly<Record<Grantee, readonly string[]>>): string[] {
  return [...new Set(LOGINS[name].flatMap((grantee) => granted[grantee]))]
}

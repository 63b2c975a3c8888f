import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { clickHouseUsers, natsUsers, postgresStatements, redisUsers } from '../domain/grants/login-configs.ts'
import { LOGIN_NAMES, type Login, type LoginName } from '../domain/grants/login-names.ts'
import { settingsOf } from '../domain/grants/login-settings.ts'
import { WrongUsage } from './wrong-usage.ts'

/** `keep` writes the files again, `rotate` adds new passwords beside the old ones, `retire` removes the old ones. */
export type LoginChange = 'keep' | 'rotate' | 'retire'

/** Passwords of each generation; during a rotation there are two. */
const PasswordsSchema = z.record(z.string().regex(/^\d+$/), z.record(z.string(), z.string()))
type Passwords = z.infer<typeof PasswordsSchema>

const PASSWORDS = 'passwords.json'
const PASSWORD_BYTES = 24

/** PostgreSQL keeps the open connections of a removed user, and shows them without its name. */
const END_SESSIONS_OF_REMOVED_USERS =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usesysid IS NOT NULL AND usename IS NULL'

export interface WrittenLogins {
  readonly generation: number
  /** Statements for PostgreSQL. */
  readonly statements: readonly string[]
}

/** Writes a settings file for each login and a config with the users for each engine; only their owner can read them. */
export async function writeLogins(config: Config, folder: string, change: LoginChange): Promise<WrittenLogins> {
  const passwords = changed(await readPasswords(folder), change, folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const write = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 })
  const generations = Object.keys(passwords).map(Number)
  const generation = Math.max(...generations)
  const logins = generations.flatMap((each) => loginsOf(each, passwords[each] ?? {}))
  const database = decodeURIComponent(new URL(config.DATABASE_URL).pathname.slice(1))
  const statements = [
    ...postgresStatements(logins, database),
    ...retiredUsers(generations).map((user) => `DROP ROLE IF EXISTS ${user}`),
    END_SESSIONS_OF_REMOVED_USERS,
  ]
  await write(PASSWORDS, `${JSON.stringify(passwords, null, 2)}\n`)
  await write('postgres.sql', statements.map((statement) => `${statement};\n`).join(''))
  await write('clickhouse-users.xml', clickHouseUsers(logins, config.CLICKHOUSE_DATABASE))
  await write('nats.conf', natsConfig(config, logins))
  await write('redis.acl', `${[redisOwner(config), ...redisUsers(logins)].join('\n')}\n`)
  for (const login of loginsOf(generation, passwords[generation] ?? {})) {
    const lines = Object.entries(settingsOf(login, config)).map(([name, value]) => `${name}=${value}\n`)
    await write(`${login.name}.env`, lines.join(''))
  }
  return { generation, statements }
}

function userOf(name: LoginName, generation: number): string {
  return `bookreel_${name}_${generation}`
}

function loginsOf(generation: number, passwords: Readonly<Record<string, string>>): Login[] {
  return LOGIN_NAMES.flatMap((name) => {
    const password = passwords[name]
    return password === undefined ? [] : [{ name, user: userOf(name, generation), password }]
  })
}

/** A login that a newer version has added gets a password too. */
function changed(passwords: Passwords, change: LoginChange, folder: string): Passwords {
  const newest = Math.max(0, ...Object.keys(passwords).map(Number))
  if (newest === 0) {
    if (change === 'keep') return { 1: newPasswords() }
    throw new WrongUsage(`${folder} has no logins. Name the folder of \`logins write\`.`)
  }
  // A third generation would remove users that processes may still use.
  if (change === 'rotate' && Object.keys(passwords).length > 1)
    throw new WrongUsage(
      `${folder} has two generations of logins. Restart all processes with the newer one, then run \`logins retire\`. To repeat \`--apply\`, run \`logins write\`.`,
    )
  const current = { ...newPasswords(), ...passwords[newest] }
  if (change === 'rotate') return { [newest]: current, [newest + 1]: newPasswords() }
  return change === 'retire' ? { [newest]: current } : { ...passwords, [newest]: current }
}

function newPasswords(): Record<string, string> {
  return Object.fromEntries(LOGIN_NAMES.map((name) => [name, randomBytes(PASSWORD_BYTES).toString('hex')]))
}

async function readPasswords(folder: string): Promise<Passwords> {
  const file = join(folder, PASSWORDS)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  try {
    return PasswordsSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new Error(`${file} is damaged. Restore it from a backup, or delete it to make new passwords.`, {
      cause: error,
    })
  }
}

/** Users of generations that are no longer in use. */
function retiredUsers(inUse: readonly number[]): string[] {
  const former = Array.from({ length: Math.max(...inUse) }, (_, index) => index + 1)
  return former
    .filter((generation) => !inUse.includes(generation))
    .flatMap((generation) => LOGIN_NAMES.map((name) => userOf(name, generation)))
}

/** The owner's user stays: `prepare` creates streams with it. */
function natsConfig({ NATS_USER, NATS_PASSWORD }: Config, logins: readonly Login[]): string {
  const owner = NATS_USER === undefined ? [] : [{ user: NATS_USER, password: NATS_PASSWORD ?? '' }]
  return `authorization { users: ${JSON.stringify([...owner, ...natsUsers(logins)], null, 2)} }\n`
}

/** Without this line Redis would let anybody in without a password. */
function redisOwner({ REDIS_URL }: Config): string {
  const [first = ''] = REDIS_URL.split(',')
  const { username, password } = new URL(first)
  if (username !== '' || password === '') return 'user default off'
  const hash = createHash('sha256').update(decodeURIComponent(password)).digest('hex')
  return `user default reset on #${hash} ~* &* +@all`
}

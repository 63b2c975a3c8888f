import { randomBytes } from 'node:crypto'
import {
  clickHouseUsers,
  natsUsers,
  postgresStatements,
  redisUsers,
} from '@bookreel/service/domain/grants/login-configs'
import { LOGIN_NAMES, type Login, type LoginName } from '@bookreel/service/domain/grants/login-names'
import { settingsOf } from '@bookreel/service/domain/grants/login-settings'
import type { EngineUsers } from '@bookreel/stack/engines/engine'
import type { Stack } from '@bookreel/stack/start-stack'
import pg from 'pg'

const DATABASE = 'bookreel'

/** The logins of pooled stacks, which listen on loopback only; test files must know the passwords. */
const POOL_LOGINS = loginsWith((name) => `password-of-${name}-in-tests`)

/** A login of every kind, with new passwords. */
export function newLogins(): Login[] {
  return loginsWith(() => randomBytes(16).toString('hex'))
}

function loginsWith(passwordOf: (name: LoginName) => string): Login[] {
  return LOGIN_NAMES.map((name) => ({ name, user: `bookreel_${name}_1`, password: passwordOf(name) }))
}

/** The users of all logins, for the start of a stack. */
export function engineUsers(logins: readonly Login[] = POOL_LOGINS): EngineUsers {
  return { clickhouse: clickHouseUsers(logins, DATABASE), nats: natsUsers(logins), redis: redisUsers(logins) }
}

/** Creates the logins in PostgreSQL; `prepare` afterwards gives them their rights. */
export async function createPostgresLogins(stack: Stack, logins: readonly Login[] = POOL_LOGINS): Promise<void> {
  const client = new pg.Client({ connectionString: stack.variable('DATABASE_URL') })
  await client.connect()
  try {
    await client.query(postgresStatements(logins, DATABASE).join(';\n'))
  } finally {
    await client.end()
  }
}

/** The settings of this login on the stack, instead of the owner's. */
export function settingsFor(
  { variables }: Pick<Stack, 'variables'>,
  name: LoginName,
  logins: readonly Login[] = POOL_LOGINS,
) {
  const login = logins.find((each) => each.name === name)
  if (login === undefined) throw new Error(`There is no login ${name}`)
  const { DATABASE_URL = '', REDIS_URL = '' } = variables
  return settingsOf(login, { DATABASE_URL, REDIS_URL })
}

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { ACCOUNT_QUOTA, ACCOUNT_READERS, CLICKHOUSE_GRANTS, READER_LIMITS } from './clickhouse-grants.ts'
import { LOGINS, type Login, type LoginName, unionOf } from './login-names.ts'
import { HEARTBEAT_SUBJECT, inboxOf, NATS_GRANTS } from './nats-grants.ts'
import { groupOf } from './postgres-grants.ts'
import { REDIS_COMMANDS, REDIS_KEYS } from './redis-grants.ts'

/** Creates the group of each login and its users; `prepare` gives the groups their grants. Safe to repeat. */
export function postgresStatements(logins: readonly Login[], database: string): string[] {
  const quoted = `"${database.replaceAll('"', '""')}"`
  const groups = [...new Set(logins.map(({ name }) => groupOf(name)))]
  return [
    `REVOKE ALL ON DATABASE ${quoted} FROM PUBLIC`,
    ...groups.flatMap((group) => [
      createIfMissing(group, `CREATE ROLE ${group} NOLOGIN`),
      `GRANT CONNECT ON DATABASE ${quoted} TO ${group}`,
    ]),
    ...logins.flatMap(({ name, user, password }) => [
      createIfMissing(user, `CREATE ROLE ${user}`),
      `ALTER ROLE ${user} WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE INHERIT PASSWORD '${scramOf(password)}'`,
      `GRANT ${groupOf(name)} TO ${user}`,
    ]),
  ]
}

/** A file for `users.d` of ClickHouse. */
export function clickHouseUsers(logins: readonly Login[], database: string): string {
  const users = logins.filter(({ name }) => hasClickHouse(name)).map((login) => clickHouseUser(login, database))
  const most = Object.entries(ACCOUNT_QUOTA).map(([cost, bound]) => `<${cost}>${bound}</${cost}>`)
  return `<clickhouse>
  <profiles>
    <bookreel_writer>
      <async_insert>0</async_insert>
    </bookreel_writer>
    <bookreel_limited>
${limitedProfile('      ')}
    </bookreel_limited>
  </profiles>
  <quotas>
    <bookreel_account><keyed/><interval><duration>60</duration>${most.join('')}</interval></bookreel_account>
  </quotas>
  <users>
${users.join('\n')}
  </users>
</clickhouse>
`
}

/** The settings of a profile that reads only, with bounds that a client can't raise. 0 would mean no bound. */
export function limitedProfile(indent: string): string {
  const limits = Object.entries(READER_LIMITS)
  return [
    '<readonly>2</readonly>',
    '<cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>',
    ...limits.map(([setting, most]) => `<${setting}>${most}</${setting}>`),
    '<constraints>',
    '  <readonly><const/></readonly>',
    ...limits.map(([setting, most]) => `  <${setting}><min>1</min><max>${most}</max></${setting}>`),
    '</constraints>',
  ]
    .map((line) => `${indent}${line}`)
    .join('\n')
}

/** One line for each user, for `redis.conf` or an ACL file. */
export function redisUsers(logins: readonly Login[]): string[] {
  return logins
    .filter(({ name }) => hasRedis(name))
    .map(({ name, user, password }) =>
      ['user', user, 'reset', 'on', `#${sha256(password)}`, ...unionOf(name, REDIS_KEYS), ...REDIS_COMMANDS].join(' '),
    )
}

export interface NatsUser {
  readonly user: string
  readonly password: string
  readonly permissions?: {
    readonly publish: { readonly allow: readonly string[]; readonly deny?: readonly string[] }
    readonly subscribe: readonly string[]
  }
}

/** Users for the `authorization` of NATS; JSON is valid in its config. */
export function natsUsers(logins: readonly Login[]): NatsUser[] {
  return logins.map(({ name, user, password }) => {
    const granted = LOGINS[name].map((grantee) => NATS_GRANTS[grantee])
    const allow = [HEARTBEAT_SUBJECT, ...new Set(granted.flatMap(({ publish }) => publish))]
    const deny = granted.flatMap(({ refused = [] }) => refused).filter((subject) => !allow.includes(subject))
    return {
      user,
      password,
      permissions: {
        publish: { allow, ...(deny.length > 0 && { deny }) },
        subscribe: [`${inboxOf(user)}.>`, ...new Set(granted.flatMap(({ subscribe }) => subscribe))],
      },
    }
  })
}

export function hasClickHouse(name: LoginName): boolean {
  return unionOf(name, CLICKHOUSE_GRANTS).length > 0
}

export function hasRedis(name: LoginName): boolean {
  return unionOf(name, REDIS_KEYS).length > 0
}

/** Whether the process only reads, so that its user gets the profile with bounds. */
export function onlyReads(name: LoginName): boolean {
  return unionOf(name, CLICKHOUSE_GRANTS).every((grant) => grant.startsWith('SELECT'))
}

function clickHouseUser({ name, user, password }: Login, database: string): string {
  const grants = unionOf(name, CLICKHOUSE_GRANTS).map((grant) => grant.replace('{database}', database))
  return `    <${user}>
      <password_sha256_hex>${sha256(password)}</password_sha256_hex>
      <networks><ip>::/0</ip></networks>
      <profile>${onlyReads(name) ? 'bookreel_limited' : 'bookreel_writer'}</profile>
      <quota>${LOGINS[name].some((role) => ACCOUNT_READERS.includes(role)) ? 'bookreel_account' : 'default'}</quota>
      <grants>${grants.map((grant) => `<query>GRANT ${grant}</query>`).join('')}</grants>
    </${user}>`
}

function createIfMissing(role: string, statement: string): string {
  return `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN ${statement}; END IF; END $$`
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const SCRAM_ROUNDS = 4_096

/** The form in which PostgreSQL stores a password, so that the password itself is in no statement and no log. */
function scramOf(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, SCRAM_ROUNDS, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  const serverKey = hmac('Server Key').toString('base64')
  return `SCRAM-SHA-256$${SCRAM_ROUNDS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

// Nightly: starts and restarts engines and all roles.
// Covers: deploy/ service/src/domain/grants/ service/src/commands/ service/src/wiring/
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import type { Program } from '@bookreel/stack/engines/engine'
import { environmentWith } from '@bookreel/stack/environment'
import { ensurePrograms } from '@bookreel/stack/install/ensure-programs'
import type { Stack } from '@bookreel/stack/start-stack'
import { freePort } from '@bookreel/testbed/free-port'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { until } from '@bookreel/testbed/until'
import { connect } from '@nats-io/transport-node'
import { createClient as createRedis } from '@redis/client'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepare } from '../../src/commands/prepare.ts'
import { readConfig } from '../../src/config.ts'
import { LOGIN_NAMES } from '../../src/domain/grants/login-names.ts'

const run = promisify(execFile)
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))
const OWNER_PASSWORD = 'the password of the owner in Redis'
const ALL_OK = { postgres: 'ok', clickhouse: 'ok', nats: 'ok', redis: 'ok' }

const place = mkdtempSync(join(tmpdir(), 'bookreel-logins-'))
const folder = join(place, 'logins')
const children: ChildProcess[] = []
let stack: Stack
/** The settings of the owner. */
let settings: Record<string, string>
/** The users that the engine of the pool had before. */
let clickHouseUsersBefore: string

beforeAll(async () => {
  stack = await borrowStack()
  clickHouseUsersBefore = readFileSync(clickHouseUsersFile(), 'utf8')
  await prepare(readConfig(stack.variables))
  const [natsPort, redisPort] = [await freePort(), await freePort()]
  settings = {
    ...stack.variables,
    NATS_URL: `nats://127.0.0.1:${natsPort}`,
    REDIS_URL: `redis://:${encodeURIComponent(OWNER_PASSWORD)}@127.0.0.1:${redisPort}`,
  }
}, 300_000)

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  // The pool restarts the engine for its next borrower, because this file has restarted it.
  if (clickHouseUsersBefore !== undefined) writeFileSync(clickHouseUsersFile(), clickHouseUsersBefore)
  await stack?.stop()
  rmSync(place, { recursive: true, force: true })
})

/** Runs the program as an operator does. */
async function bookreelServer(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [MAIN, ...args], { env: environmentWith(settings), cwd: place })
  return stdout
}

function clickHouseUsersFile(): string {
  return join(stack.dir, 'clickhouse', 'users.d', 'others.xml')
}

/** Two engines with the files that we ship and those of the folder. */
async function startEngines(): Promise<void> {
  const { natsServer, redisServer } = await ensurePrograms(['nats', 'redis'], () => {})
  if (!natsServer || !redisServer) throw new Error('programs were not located')
  const config = join(place, 'nats.conf')
  const shipped = readFileSync(join(DEPLOY, 'nats.conf'), 'utf8')
  const places = [
    ['0.0.0.0:4222', `127.0.0.1:${new URL(settings.NATS_URL ?? '').port}`],
    ['127.0.0.1:8222', `127.0.0.1:${await freePort()}`],
    ['"/data"', JSON.stringify(join(place, 'nats'))],
    ['"logins.conf"', '"logins/nats.conf"'],
  ] as const
  for (const [from] of places) expect(shipped).toContain(from)
  writeFileSync(
    config,
    places.reduce((text, [from, to]) => text.replace(from, to), shipped),
  )
  start(natsServer, ['--config', config])
  const { port } = new URL(settings.REDIS_URL ?? '')
  const redisArgs = ['--bind', '127.0.0.1', '--dir', place, '--aclfile', join(folder, 'redis.acl')]
  start(redisServer, [join(DEPLOY, 'redis.conf'), '--port', port, ...redisArgs])
  for (const ask of [askNats, askRedis]) await until('the engine answers', async () => (await ask(settings)) === 'ok')
}

function start({ path, libraryPath }: Program, args: string[]): void {
  const env = environmentWith(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath })
  children.push(spawn(path, args, { env, stdio: 'ignore' }))
}

/** Lets the engines read the files again. */
async function loadFiles(): Promise<void> {
  writeFileSync(clickHouseUsersFile(), readFileSync(join(folder, 'clickhouse-users.xml')))
  // The engine of a stack reads its users only at its start.
  await stack.engine('clickhouse').restart()
  children[0]?.kill('SIGHUP')
  expect(await askRedis(settings, ['ACL', 'LOAD'])).toBe('ok')
}

type Settings = Readonly<Record<string, string | undefined>>

/** The settings in the file of this login now. */
function fileOf(name: string): Settings {
  return { ...settings, ...parseEnv(readFileSync(join(folder, `${name}.env`), 'utf8')) }
}

const told = (error: Error & { code?: string }): string => error.code ?? error.message

async function askPostgres({ DATABASE_URL }: Settings): Promise<string> {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT * FROM tiers')
    return 'ok'
  } catch (error) {
    return told(error as Error)
  } finally {
    await client.end()
  }
}

async function askClickHouse(login: Settings): Promise<string> {
  const { CLICKHOUSE_URL = '', CLICKHOUSE_USER = '', CLICKHOUSE_PASSWORD = '' } = login
  const headers = { 'x-clickhouse-user': CLICKHOUSE_USER, 'x-clickhouse-key': CLICKHOUSE_PASSWORD }
  const answer = await fetch(CLICKHOUSE_URL, { method: 'POST', body: 'SELECT 1', headers })
  const text = await answer.text()
  return answer.ok ? 'ok' : text
}

async function askNats({ NATS_URL: servers = '', NATS_USER: user = '', NATS_PASSWORD: pass = '' }: Settings) {
  try {
    const connection = await connect({ servers, user, pass, reconnect: false })
    await connection.close()
    return 'ok'
  } catch (error) {
    return told(error as Error)
  }
}

async function askRedis({ REDIS_URL: url = '' }: Settings, command = ['PING']): Promise<string> {
  const client = createRedis({ url, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.sendCommand(command)
    return 'ok'
  } catch (error) {
    return told(error as Error)
  } finally {
    client.destroy()
  }
}

async function askAll(login: Settings) {
  return {
    postgres: await askPostgres(login),
    clickhouse: await askClickHouse(login),
    nats: await askNats(login),
    redis: await askRedis(login),
  }
}

let written: Promise<string> | undefined

/** Writes the first logins and starts the engines with them, once. */
function ensureWritten(): Promise<string> {
  written ??= (async () => {
    const printed = await bookreelServer('logins', 'write', folder, '--apply')
    await prepare(readConfig(stack.variables))
    await startEngines()
    await loadFiles()
    return printed
  })()
  return written
}

test('rotate and retire refuse a folder without logins, and create nothing in it', async () => {
  for (const change of ['rotate', 'retire'])
    await expect(bookreelServer('logins', change, folder, '--apply')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no logins'),
    })
  expect(existsSync(folder)).toBe(false)
})

test('write makes logins that all engines accept, and a second time keeps the passwords', async () => {
  const printed = await ensureWritten()
  expect(printed).toContain(`Logins of generation 1 are in ${folder}. PostgreSQL has its users.`)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  for (const name of LOGIN_NAMES) expect(existsSync(join(folder, `${name}.env`)), name).toBe(true)
  expect(await askAll(fileOf('api'))).toEqual(ALL_OK)
  const passwords = readFileSync(join(folder, 'passwords.json'), 'utf8')
  await bookreelServer('logins', 'write', folder)
  expect(readFileSync(join(folder, 'passwords.json'), 'utf8')).toBe(passwords)
})

test('after rotate both logins work in all engines; after retire only the new one, and open connections of the old one end', async () => {
  await ensureWritten()
  const former = fileOf('api')
  expect(await bookreelServer('logins', 'rotate', folder, '--apply')).toContain('Logins of generation 2')
  const current = fileOf('api')
  expect(current.DATABASE_URL).not.toBe(former.DATABASE_URL)
  await loadFiles()
  await until('NATS has read its file', async () => (await askNats(current)) === 'ok')
  expect(await askAll(former)).toEqual(ALL_OK)
  expect(await askAll(current)).toEqual(ALL_OK)
  expect(await bookreelServer('--settings', join(folder, 'operator.env'), 'accounts', 'list')).toContain('None.')
  await expect(bookreelServer('logins', 'rotate', folder, '--apply')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('logins retire'),
  })
  expect(await askPostgres(former)).toBe('ok')

  const open = new pg.Client({ connectionString: former.DATABASE_URL })
  open.on('error', () => {})
  await open.connect()
  const ended = new Promise((resolve) => open.once('end', resolve))
  await bookreelServer('logins', 'retire', folder, '--apply')
  await ended
  await loadFiles()
  await until('NATS has read its file', async () => (await askNats(former)) !== 'ok')
  expect(await askAll(former)).toEqual({
    postgres: '28P01',
    clickhouse: expect.stringContaining('AUTHENTICATION_FAILED'),
    nats: expect.stringMatching(/authorization/i),
    redis: expect.stringContaining('WRONGPASS'),
  })
  expect(await askAll(current)).toEqual(ALL_OK)
}, 300_000)

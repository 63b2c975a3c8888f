// Nightly: starts and restarts engines and all roles.
// Covers: service/src/domain/grants/ service/src/commands/ service/src/wiring/
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Program } from '@bookreel/stack/engines/engine'
import { environmentWith } from '@bookreel/stack/environment'
import { ensurePrograms } from '@bookreel/stack/install/ensure-programs'
import type { Stack } from '@bookreel/stack/start-stack'
import { freePort } from '@bookreel/testbed/free-port'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { until } from '@bookreel/testbed/until'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const ASK = fileURLToPath(new URL('./ask-encrypted.ts', import.meta.url))

let folder: string
let stack: Stack
let addresses: Record<string, string>
const children: ChildProcess[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bookreel-tls-'))
  await makeCertificates()
  stack = await borrowStack()
  const programs = await ensurePrograms(['nats', 'redis'], () => {})
  if (!programs.natsServer || !programs.redisServer) throw new Error('programs were not located')
  const [natsPort, redisPort] = [await freePort(), await freePort()]
  writeFileSync(
    join(folder, 'nats.conf'),
    `listen: "127.0.0.1:${natsPort}"\ntls { cert_file: "${folder}/server.pem", key_file: "${folder}/server.key" }\n`,
  )
  start(programs.natsServer, ['--config', join(folder, 'nats.conf')])
  start(programs.redisServer, [
    ...['--port', '0', '--tls-port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    ...['--tls-cert-file', `${folder}/server.pem`, '--tls-key-file', `${folder}/server.key`],
    ...['--tls-ca-cert-file', `${folder}/ca.pem`, '--tls-auth-clients', 'no'],
  ])
  await encryptPostgres('on')
  const database = new URL(stack.variable('DATABASE_URL'))
  database.hostname = 'localhost'
  database.searchParams.set('sslmode', 'verify-full')
  addresses = {
    NATS_URL: `tls://localhost:${natsPort}`,
    REDIS_URL: `rediss://localhost:${redisPort}`,
    DATABASE_URL: database.href,
  }
  for (const port of [natsPort, redisPort]) await until('the engine listens', () => accepts(port))
}, 300_000)

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await encryptPostgres('off')
  await stack?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** An authority of our own and a certificate for localhost. */
async function makeCertificates(): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })
  const key = ['-newkey', 'rsa:2048', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=test authority',
  )
  await openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost')
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost\n')
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2']
  await openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signing)
  chmodSync(folder, 0o755)
}

function start({ path, libraryPath }: Program, args: string[]): void {
  const env = environmentWith(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath })
  children.push(spawn(path, args, { env, stdio: 'ignore' }))
}

/** PostgreSQL accepts only a key file that belongs to its own user. */
async function encryptPostgres(state: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: stack.variable('DATABASE_URL') })
  await client.connect()
  try {
    const { rows } = await client.query<{ folder: string }>(
      'SELECT setting AS folder FROM pg_settings WHERE name = $1',
      ['data_directory'],
    )
    const { uid, gid } = statSync(rows[0]?.folder ?? '')
    if (process.getuid?.() === 0) chownSync(join(folder, 'server.key'), uid, gid)
    chmodSync(join(folder, 'server.key'), 0o600)
    await client.query(`ALTER SYSTEM SET ssl_cert_file = '${folder}/server.pem'`)
    await client.query(`ALTER SYSTEM SET ssl_key_file = '${folder}/server.key'`)
    await client.query(`ALTER SYSTEM SET ssl = ${state}`)
    await client.query('SELECT pg_reload_conf()')
    await until(`ssl is ${state}`, async () => (await client.query('SHOW ssl')).rows[0]?.ssl === state)
  } finally {
    await client.end()
  }
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}

async function ask(changed: Record<string, string>, environment: Record<string, string>) {
  const { NATS_URL = '', DATABASE_URL = '', REDIS_URL = '' } = { ...addresses, ...changed }
  const { stdout } = await run(process.execPath, [ASK, NATS_URL, DATABASE_URL, REDIS_URL], {
    env: environmentWith(environment),
  })
  return JSON.parse(stdout) as Record<string, string>
}

test('NATS, PostgreSQL and Redis are used over TLS with an authority of our own', async () => {
  expect(await ask({}, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).toEqual({
    nats: 'ok',
    postgres: 'ok',
    redis: 'ok',
  })
})

test('a certificate of an unknown authority is refused by all of them', async () => {
  const refused = expect.stringMatching(/certificate/i)
  expect(await ask({}, {})).toEqual({ nats: refused, postgres: refused, redis: refused })
})

test('a NATS server that offers no TLS is refused when the address asks for it', async () => {
  const plain = stack.variable('NATS_URL').replace('nats:', 'tls:').replace('127.0.0.1', 'localhost')
  expect((await ask({ NATS_URL: plain }, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).nats).toMatch(/tls/i)
})

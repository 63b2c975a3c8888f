import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SIMULATED_IPN_SECRET } from '@bookreel/simulator/payments/callback-text'
import { startSimulator } from '@bookreel/simulator/simulator'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { freePort } from '@bookreel/testbed/free-port'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { prepare } from '../../src/commands/prepare.ts'
import { readConfig } from '../../src/config.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { Accounts } from '../../src/stores/accounts/accounts.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { HeadlessBrowser } from './headless-browser.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const PG_DUMP = '/usr/lib/postgresql/15/bin/pg_dump'
const PEPPER = 'canary of a pepper, never to be seen anywhere'
const PROCESSOR_KEY = 'canary-of-a-processor-key'

/**
 * A user signs in, creates a key, uses and misuses it, buys, revokes, signs out, at the most verbose log level. Then
 * logs, databases and metrics are searched for secrets.
 */
test('no key, session, pepper or secret is in a log, a database, or a metric', { timeout: 300_000 }, async () => {
  await using stack = await borrowStack({ engines: ['clickhouse', 'nats', 'postgres', 'redis', 'identity'] })
  await using ending = new AsyncDisposableStack()
  const simulator = await startSimulator({
    seed: 'canary',
    startMs: WORLD_NOW_MS,
    size: { hot: 0, medium: 0, cold: 0 },
    speed: 1,
    port: 0,
    faults: [],
  })
  ending.defer(() => simulator.stop())
  const [port, metricsPort] = [await freePort(), await freePort()]
  const origin = `http://localhost:${port}`
  const environment = {
    ...stack.variables,
    HTTP_HOST: 'localhost',
    HTTP_PORT: String(port),
    METRICS_PORT: String(metricsPort),
    PUBLIC_URL: origin,
    KEY_PEPPER: PEPPER,
    LOG_LEVEL: 'trace',
    REQUEST_LOG: 'true',
    PAYMENT_PROCESSOR: 'nowpayments',
    NOWPAYMENTS_URL: simulator.addresses.nowPayments,
    NOWPAYMENTS_API_KEY: PROCESSOR_KEY,
    NOWPAYMENTS_IPN_SECRET: SIMULATED_IPN_SECRET,
  }
  await prepare(readConfig(environment))
  await using service = new LoudService(['api', 'payments'], environment)
  await service.untilListening(origin)

  const browser = new HeadlessBrowser(origin, async (path, sent) => {
    const { body, ...rest } = sent
    const answer = await fetch(`${origin}${path}`, { ...rest, redirect: 'manual', ...(body !== undefined && { body }) })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  })
  expect((await browser.signIn('canary@example.test')).status).toBe(303)
  const session = browser.cookie(SESSION_COOKIE) ?? ''
  const changeOnce = (path: string, method: 'POST' | 'DELETE', body?: unknown) =>
    browser.send(path, {
      method,
      headers: {
        origin,
        'x-requested-with': 'bookreel',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  // On a slow machine the store may be unavailable for a moment.
  const change = async (path: string, method: 'POST' | 'DELETE', body?: unknown) => {
    for (let tries = 0; ; tries++) {
      const answer = await changeOnce(path, method, body)
      if (answer.status !== 503 || tries === 20) return answer
      await sleep(500)
    }
  }
  const { key, id } = JSON.parse((await change('/v1/api-keys', 'POST', { label: 'canary' })).text)
  const ask = (path: string, headers: Record<string, string> = { 'x-api-key': key }) =>
    fetch(`${origin}${path}`, { headers })
  expect((await ask('/v1/api-keys/validate')).status).toBe(200)
  // Where people put keys by mistake.
  await ask(`/v1/markets/live?api_key=${key}`)
  await ask(`/v1/markets/by-slug/${key}`)
  await ask('/v1/stats', { authorization: `Bearer ${key}` })
  await ask('/v1/stats', { 'x-api-key': `${key}x` })
  await change('/v1/api-keys', 'POST', { label: key, nonsense: session })

  // The free tier has no streams.
  await using database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 20_000 })
  const [account] = await new Accounts(database).list()
  await new Accounts(database).setTier(account?.id ?? '', { tier: 'pro', monthlyCredits: 0 })
  const listed = await browser.send('/v1/api-keys', { method: 'GET', headers: {} })
  const answers = [listed.text, await messageTo(`${origin}/mcp`, key, 'get_limits', {})]
  await messageTo(`${origin}/mcp`, key, 'get_market', { slug: key })
  await messageTo(`${origin}/mcp`, `${key}x`, 'get_limits', {})
  const stream = `ws://localhost:${port}/v1/stream`
  answers.push(await framesOf(stream, { 'x-api-key': key }, [{ id: 1, op: 'ping' }]))
  answers.push(await framesOf(stream, {}, [{ id: 1, op: 'auth', key }]))
  await framesOf(`${stream}?api_key=${key}`, {}, [{ id: 1, op: 'auth', key: `${key}x` }])
  await framesOf(stream, { 'x-api-key': key }, [{ id: 1, op: 'subscribe', selectors: [{ slug: key }], [key]: session }])
  await framesOf(`ws://localhost:${port}/ws/orderbook`, {}, [{ type: 'auth', apiKey: key }])
  // Tickets of the pages, and keys in addresses below their path.
  const issue = async () => JSON.parse((await change('/app/api/stream-tickets', 'POST')).text)
  const [{ ticket, url }, { ticket: unused }] = [await issue(), await issue()]
  expect([ticket, unused]).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)])
  expect(url).toBe(stream)
  const waiting = await everythingIn(stack.variable('REDIS_URL'))
  expect(waiting).toContain('stream-ticket:')
  expect([ticket, unused].filter((each) => waiting.includes(each))).toEqual([])
  expect(await framesOf(stream, { origin }, [{ id: 1, op: 'auth', ticket }])).toContain('"ack"')
  await framesOf(`${stream}?ticket=${ticket}`, { origin }, [{ id: 1, op: 'auth', ticket }])
  await framesOf(stream, {}, [{ id: 1, op: 'auth', ticket: unused }])
  for (const secret of [key, ticket, unused]) {
    const path = `/app/api/v1/markets/by-slug/${secret}`
    const headers = { 'x-requested-with': 'bookreel', 'x-api-key': key }
    const asked = await Promise.all([path, `${path}?api_key=${secret}`].map((each) => browser.send(each, { headers })))
    expect(asked.map(({ status }) => status)).toEqual([404, 400])
  }
  expect(answers.map((text) => text.length > 2 && !text.includes(key))).toEqual([true, true, true, true])

  const invoice = JSON.parse((await change('/v1/payments/create-invoice', 'POST', { pack: 'credits_10k' })).text)
  expect(invoice.invoiceUrl).toBeTypeOf('string')
  await fetch(`${origin}/v1/payments/callbacks/nowpayments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-nowpayments-sig': SIMULATED_IPN_SECRET },
    body: JSON.stringify({ payment_status: 'finished', note: SIMULATED_IPN_SECRET }),
  })
  expect((await change(`/v1/api-keys/${id}`, 'DELETE')).status).toBe(204)
  expect((await ask('/v1/api-keys/validate')).status).toBe(401)

  const canaries = {
    key,
    session,
    ticket,
    unused,
    pepper: PEPPER,
    processorKey: PROCESSOR_KEY,
    ipnSecret: SIMULATED_IPN_SECRET,
  }
  const places = {
    metrics: await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    redis: await everythingIn(stack.variable('REDIS_URL')),
    postgres: (await promisify(execFile)(PG_DUMP, [stack.variable('DATABASE_URL')], { maxBuffer: 1e9 })).stdout,
    stdout: '',
    stderr: '',
  }
  expect((await change('/auth/logout', 'POST')).status).toBeLessThan(300)
  await service[Symbol.asyncDispose]()
  places.stdout = service.stdout
  places.stderr = service.stderr
  // Ensures that the searched texts are not empty.
  expect(places.postgres).toContain('canary@example.test')
  expect(places.redis).toContain('session')
  expect(places.stdout).toContain('HTTP server listening')
  const requests = places.stdout.split('\n').filter((line) => line.includes('"msg":"request answered"'))
  expect(requests.map((line) => JSON.parse(line).path)).toContain('/app/api/v1/markets/by-slug/:slug')
  expect(requests.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 'info',
      method: 'GET',
      path: '/v1/markets/by-slug/:slug',
      status: 404,
      durationMs: expect.any(Number),
      accountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      requestId: expect.any(String),
    }),
  )
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(canaries).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${place}`] : [])),
  )
  expect(found).toEqual([])
})

/** Runs roles in a process and keeps its whole output. */
class LoudService implements AsyncDisposable {
  readonly #child: ChildProcess
  stdout = ''
  stderr = ''

  constructor(roles: readonly string[], environment: Record<string, string>) {
    this.#child = spawn(process.execPath, [MAIN, 'run', ...roles], {
      env: { ...COMPILE_CACHE, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', (text) => (this.stdout += text))
    this.#child.stderr?.on('data', (text) => (this.stderr += text))
  }

  async untilListening(origin: string): Promise<void> {
    for (let tries = 0; tries < 300; tries++) {
      const reply = await fetch(`${origin}/health/live`).catch(() => undefined)
      if (reply?.status === 200) return
      await sleep(100)
    }
    throw new Error(`the service did not come up: ${this.stdout}${this.stderr}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await ended
  }
}

/** The text of the answer to an MCP tool call. */
async function messageTo(url: string, key: string, name: string, given: Record<string, string>): Promise<string> {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const params = { name, arguments: given }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return (await fetch(url, { method: 'POST', headers, body })).text()
}

/** Sends frames to a stream; returns what it answers, until the answer to the first one or until it closes. */
async function framesOf(url: string, headers: Record<string, string>, frames: readonly object[]): Promise<string> {
  const socket = new WebSocket(url, { headers })
  let answer = ''
  const answered = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      answer += data.toString()
      if (/"(pong|ack|error|orderbook|auth)"/.test(answer)) resolve()
    })
    socket.on('close', () => resolve())
    socket.on('error', () => resolve())
  })
  socket.on('open', () => {
    for (const frame of frames) socket.send(JSON.stringify(frame))
  })
  await answered
  const closed = new Promise<void>((resolve) =>
    socket.readyState === socket.CLOSED ? resolve() : socket.once('close', () => resolve()),
  )
  socket.close()
  await closed
  return answer
}

async function everythingIn(redisUrl: string): Promise<string> {
  await using redis = new RedisConnection({ url: redisUrl, answerWithinMs: 5_000 })
  while (!redis.isReady) await sleep(10)
  return await redis.ask(async (client) => {
    const found: string[] = []
    for (const key of await client.keys('*')) {
      const type = await client.type(key)
      const read: Record<string, () => Promise<unknown>> = {
        string: () => client.get(key),
        hash: () => client.hGetAll(key),
        set: () => client.sMembers(key),
        zset: () => client.zRange(key, 0, -1),
        list: () => client.lRange(key, 0, -1),
      }
      found.push(key, JSON.stringify(await read[type]?.()))
    }
    return found.join('\n')
  })
}

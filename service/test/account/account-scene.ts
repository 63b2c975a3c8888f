import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { Sessions } from '../../src/access/sessions.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Tier } from '../../src/domain/tier.ts'
import type { Stores } from '../../src/endpoints/stores.ts'
import { buildServer } from '../../src/http/server.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { type Access, openAccess } from '../../src/roles/open-access.ts'
import { openSignIn } from '../../src/roles/open-sign-in.ts'
import { Invoices } from '../../src/stores/invoices.ts'
import { migratePostgres } from '../../src/stores/postgres-migrations.ts'
import { RedisConnection } from '../../src/stores/redis-connection.ts'
import { SessionStore } from '../../src/stores/sessions.ts'
import { Usage } from '../../src/stores/usage.ts'
import { HeadlessBrowser, type Received } from './headless-browser.ts'

const FROM_OUR_PAGES = 'bookreel'
const MOST_TRIES = 40
const TRY_AGAIN_MS = 250

/** What accounts need and nothing else: PostgreSQL, Redis, an identity provider, and the API over them. */
export class AccountScene implements AsyncDisposable {
  readonly stack: Stack
  readonly access: Access
  readonly redis: RedisConnection
  readonly server: FastifyInstance
  readonly origin: string
  /** Moves the clock that sessions are judged by. */
  readonly clock: { aheadMs: number }

  readonly #config: Config

  private constructor(
    config: Config,
    parts: Pick<AccountScene, 'stack' | 'access' | 'redis' | 'server' | 'origin' | 'clock'>,
  ) {
    this.#config = config
    this.stack = parts.stack
    this.access = parts.access
    this.redis = parts.redis
    this.server = parts.server
    this.origin = parts.origin
    this.clock = parts.clock
  }

  static async open(): Promise<AccountScene> {
    const stack = await borrowStack({ engines: ['postgres', 'redis', 'identity'] })
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const config = readConfig({
      ...stack.variables,
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      CLICKHOUSE_USER: 'nobody',
      CLICKHOUSE_PASSWORD: 'none',
      NATS_URL: 'nats://127.0.0.1:1',
      KEY_PEPPER: 'a pepper that only tests know, long enough',
      PUBLIC_URL: origin,
    })
    const access = openAccess(config, () => {})
    await migratePostgres(access.database)
    await access.untilRedisReady()
    const clock = { aheadMs: 0 }
    const redis = new RedisConnection({ url: config.REDIS_URL })
    const server = await buildNode(config, access, redis, clock)
    await server.listen({ host: 'localhost', port })
    return new AccountScene(config, { stack, access, redis, server, origin, clock })
  }

  /** Another one of the service, which has yet to find the identity provider; with other settings, if need be. */
  newNode(changes: Partial<Config> = {}): Promise<FastifyInstance> {
    return buildNode({ ...this.#config, ...changes }, this.access, this.redis, this.clock)
  }

  newBrowser(server = this.server): HeadlessBrowser {
    return new HeadlessBrowser(this.origin, (path, { method, headers, body }) =>
      inject(server, { url: path, method, headers, ...(body !== undefined && { payload: body }) }),
    )
  }

  async signedIn(name: string, tier: Tier = 'free'): Promise<Member> {
    const browser = this.newBrowser()
    const { status, text } = await browser.signIn(name)
    if (status !== 303) throw new Error(`not signed in: ${status} ${text}`)
    const { accountId } = JSON.parse((await browser.send('/auth/session')).text)
    if (tier !== 'free') await this.access.accounts.setTier(accountId, { tier, monthlyCredits: 0 })
    return new Member(browser, accountId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close()
    await this.redis.close()
    await this.access.close()
    await this.stack.stop()
  }
}

/** Somebody signed in, who asks as our own page does. */
export class Member {
  readonly browser: HeadlessBrowser
  readonly accountId: string

  constructor(browser: HeadlessBrowser, accountId: string) {
    this.browser = browser
    this.accountId = accountId
  }

  get token(): string {
    return this.browser.cookie(SESSION_COOKIE) ?? ''
  }

  async ask(
    path: string,
    method: 'GET' | 'POST' | 'DELETE' = 'GET',
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
  ): Promise<{ status: number; body: any }> {
    const headers: Record<string, string> =
      method === 'GET' ? {} : { origin: this.browser.origin, 'x-requested-with': FROM_OUR_PAGES }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const answer = await this.browser.send(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: answer.text === '' ? undefined : JSON.parse(answer.text) }
  }
}

async function buildNode(
  config: Config,
  access: Access,
  redis: RedisConnection,
  clock: AccountScene['clock'],
): Promise<FastifyInstance> {
  const sessions = new Sessions({ store: new SessionStore(redis), nowMs: () => Date.now() + clock.aheadMs })
  const signIn = openSignIn(config, access)
  const { accounts, keys, ledger } = access
  return buildServer({
    gate: access.gate,
    // All that endpoints of an account ask.
    stores: {
      accounts,
      keys,
      ledger,
      usage: new Usage(access.database),
      invoices: new Invoices(access.database),
    } as unknown as Stores,
    nowMs: Date.now,
    log: pino({ level: 'silent' }),
    isHttpsRequired: false,
    trustedProxies: [],
    signIn: signIn && { ...signIn, sessions },
  })
}

async function inject(server: FastifyInstance, options: InjectOptions, triesLeft = MOST_TRIES): Promise<Received> {
  const answer = await server.inject(options)
  // A machine that is too busy for a moment is no matter of these tests; nothing was looked at yet.
  if (triesLeft > 1 && answer.body.includes('"overloaded"')) {
    await sleep(TRY_AGAIN_MS)
    return inject(server, options, triesLeft - 1)
  }
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of [value].flat()) headers.append(name, String(each))
  }
  return { status: answer.statusCode, headers, text: answer.body }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

import { startSimulator } from '@bookreel/simulator/simulator'
import { freePort } from '@bookreel/testbed/free-port'
import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import type { RecorderOptions } from '@bookreel/testbed/service/recorder'
import { TestService } from '@bookreel/testbed/service/test-service'
import { processorSettings } from '@bookreel/testbed/venue-settings'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { operatorRule } from '../../src/access/operator-rule.ts'
import { Seal } from '../../src/access/seal.ts'
import { Sessions, SIGN_IN_COOKIE } from '../../src/access/sessions.ts'
import type { Config } from '../../src/config.ts'
import { wallClock } from '../../src/domain/clock.ts'
import { CHECK_INTERVALS } from '../../src/domain/invoice.ts'
import type { Tier } from '../../src/domain/tier.ts'
import type { ConsoleFiles } from '../../src/http/console/console-files.ts'
import type { ServerOptions } from '../../src/http/server.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { SessionStore } from '../../src/stores/accounts/sessions.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { InvoiceChecks } from '../../src/stores/money/invoice-checks.ts'
import { Invoices } from '../../src/stores/money/invoices.ts'
import type { Access } from '../../src/wiring/open-access.ts'
import { type GatewayParts, openGateway } from '../../src/wiring/open-gateway.ts'
import { openSignIn } from '../../src/wiring/open-sign-in.ts'
import type { StoreLimits } from '../../src/wiring/store-limits.ts'
import { runPayments } from '../../src/workers/payments.ts'
import { type Node, startGatewayNode } from '../gateway/gateway-node.ts'
import { HeadlessBrowser } from './headless-browser.ts'

const FROM_OUR_PAGES = 'bookreel'

/** A service with sign-in, on its own port. */
export class AccountScene implements AsyncDisposable {
  readonly server: FastifyInstance
  readonly redis: RedisConnection
  readonly origin: string
  /** Moves the clock of the sessions, which is that of the identity provider. */
  readonly clock: { aheadMs: number }
  /** Address at which tests decide what payers do; undefined without payments. */
  readonly payers: string | undefined
  readonly #service: TestService
  readonly #background: AsyncDisposable

  private constructor(
    service: TestService,
    parts: Pick<AccountScene, 'server' | 'redis' | 'origin' | 'clock' | 'payers'>,
    background: AsyncDisposable,
  ) {
    this.#service = service
    this.#background = background
    this.payers = parts.payers
    this.server = parts.server
    this.redis = parts.redis
    this.origin = parts.origin
    this.clock = parts.clock
  }

  /** With `payments`, packs can be bought from a simulated processor; with `record`, the server also has streams. */
  static async open(options: SceneOptions = {}): Promise<AccountScene> {
    const port = await freePort('localhost')
    const origin = `http://localhost:${port}`
    const simulator = options.payments ? await startSimulator(EMPTY_WORLD) : undefined
    const service = await TestService.start({
      identity: true,
      ...(options.record && { record: options.record }),
      ...(options.limits && { limits: options.limits }),
      settings: { PUBLIC_URL: origin, ...(simulator && processorSettings(simulator.addresses)) },
    })
    const clock = { aheadMs: 0 }
    const redis = new RedisConnection({ url: service.config.REDIS_URL, answerWithinMs: SESSIONS_ANSWER_WITHIN_MS })
    const server = await buildNode(service, service.config, redis, clock, options)
    await server.listen({ host: 'localhost', port })
    const worker = simulator && paymentWorker(service)
    const streams = options.record && streamsOf(service, server)
    const background = {
      async [Symbol.asyncDispose]() {
        await streams?.[Symbol.asyncDispose]()
        await worker?.[Symbol.asyncDispose]()
        await simulator?.stop()
      },
    }
    const payers = simulator && `${simulator.addresses.admin}/payments/invoices`
    return new AccountScene(service, { server, redis, origin, clock, payers }, background)
  }

  /** Behind the pages, for tests that write rows themselves. */
  get service(): TestService {
    return this.#service
  }

  /** The simulated venues, with `record`. */
  get simulator(): TestService['simulator'] {
    return this.#service.simulator
  }

  get stack(): TestService['stack'] {
    return this.#service.stack
  }

  /** Sets the clock of the API to that of PostgreSQL and of the identity provider. */
  async syncClock(): Promise<void> {
    this.#service.clock.nowMs = await postgresNowMs(this.access.database)
  }

  /** A gateway of its own port, for the streams of the pages. */
  startGateway(parts: Pick<GatewayParts, 'pageUnconfirmedForMs'> = {}): Promise<Node> {
    const { config, access, stores, nowMs } = this.#service
    return startGatewayNode({ config, access, stores, nowMs, onTrouble: () => {}, ...parts })
  }

  /** Streams without a recorder, for rows that a test has written. */
  serveStreams(): AsyncDisposable {
    return streamsOf(this.#service, this.server)
  }

  get access(): Access {
    return this.#service.access
  }

  /** Another API process that has not discovered the identity provider yet, optionally with other settings. */
  newNode(changes: Partial<Config> = {}, parts: NodeParts = {}): Promise<FastifyInstance> {
    return buildNode(this.#service, { ...this.#service.config, ...changes }, this.redis, this.clock, parts)
  }

  newBrowser(server = this.server): HeadlessBrowser {
    return new HeadlessBrowser(this.origin, async (url, { method, headers, body }) => {
      const answer = await server.inject({ url, method, headers, ...(body !== undefined && { payload: body }) })
      const received = new Headers()
      for (const [name, value] of Object.entries(answer.headers)) {
        for (const each of [value].flat()) received.append(name, String(each))
      }
      return { status: answer.statusCode, headers: received, text: answer.body }
    })
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
    await this.#background[Symbol.asyncDispose]()
    await this.server.close()
    await this.redis.close()
    await this.#service[Symbol.asyncDispose]()
  }
}

export type NodeParts = Pick<ServerOptions, 'anonymousBudget' | 'knownRate'>

export interface SceneOptions {
  readonly payments?: boolean
  readonly console?: ConsoleFiles
  readonly record?: RecorderOptions
  /** Store timeouts of the API, for tests that stop a store. */
  readonly limits?: StoreLimits
}

/** Streams of the server itself, as with `STREAM_IN_API`. */
function streamsOf({ config, access, stores, nowMs }: TestService, server: FastifyInstance): AsyncDisposable {
  const stop = new AbortController()
  const parts = { config, access, stores, nowMs, registry: new Registry() }
  const { gateway, run } = openGateway({ ...parts, onTrouble: () => {} })
  server.server.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head))
  const running = run(stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

const EMPTY_WORLD = {
  seed: 'pay',
  startMs: WORLD_NOW_MS,
  size: { hot: 0, medium: 0, cold: 0 },
  speed: 1,
  port: 0,
  faults: [],
}

function paymentWorker({ access, stores }: TestService): AsyncDisposable {
  const stop = new AbortController()
  const running = runPayments(
    {
      invoices: new Invoices(access.database),
      checks: new InvoiceChecks(access.database, CHECK_INTERVALS),
      providers: ['nowpayments'],
      fetchInvoice: async (invoice, signal) =>
        stores.processors.byName(invoice.provider)?.fetchInvoice(invoice, signal),
      meter: { settled() {}, failed() {} },
      options: { idleMs: 100 },
    },
    stop.signal,
  )
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

/** Longer than in production, because machines of tests pause; some of these tests stop Redis. */
const SESSIONS_ANSWER_WITHIN_MS = 5_000

/** A signed-in user who sends requests as the console does. */
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
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE' = 'GET',
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its reply.
  ): Promise<{ status: number; body: any }> {
    const headers: Record<string, string> = { 'x-requested-with': FROM_OUR_PAGES }
    if (method !== 'GET') headers.origin = this.browser.origin
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
  service: TestService,
  config: Config,
  redis: RedisConnection,
  clock: AccountScene['clock'],
  { console, ...parts }: NodeParts & { console?: ConsoleFiles } = {},
): Promise<FastifyInstance> {
  const sessions = new Sessions({
    store: new SessionStore(redis),
    seal: new Seal(service.access.peppers, SIGN_IN_COOKIE),
    operatorOf: operatorRule(config.OPERATOR_CLAIM),
    nowMs: () => wallClock() + clock.aheadMs,
  })
  const signIn = openSignIn(config, service.access)
  return service.newServer({
    signIn: signIn && { ...signIn, sessions },
    ...parts,
    ...(console && { console }),
  })
}

import { startSimulator } from '@bookreel/simulator/simulator'
import { freePort } from '@bookreel/testbed/free-port'
import { TestService } from '@bookreel/testbed/service/test-service'
import { processorSettings } from '@bookreel/testbed/venue-settings'
import type { FastifyInstance } from 'fastify'
import { Seal } from '../../src/access/seal.ts'
import { Sessions, SIGN_IN_COOKIE } from '../../src/access/sessions.ts'
import type { Config } from '../../src/config.ts'
import { CHECK_INTERVALS } from '../../src/domain/invoice.ts'
import type { Tier } from '../../src/domain/tier.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { SessionStore } from '../../src/stores/accounts/sessions.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { InvoiceChecks } from '../../src/stores/money/invoice-checks.ts'
import { Invoices } from '../../src/stores/money/invoices.ts'
import type { Access } from '../../src/wiring/open-access.ts'
import { openSignIn } from '../../src/wiring/open-sign-in.ts'
import { runPayments } from '../../src/workers/payments.ts'
import { HeadlessBrowser } from './headless-browser.ts'

const FROM_OUR_PAGES = 'bookreel'

/** A service with sign-in, on its own port. */
export class AccountScene implements AsyncDisposable {
  readonly server: FastifyInstance
  readonly redis: RedisConnection
  readonly origin: string
  /** Moves the clock of the sessions. */
  readonly clock: { aheadMs: number }
  readonly #service: TestService
  readonly #payments: AsyncDisposable | undefined

  private constructor(
    service: TestService,
    parts: Pick<AccountScene, 'server' | 'redis' | 'origin' | 'clock'>,
    payments: AsyncDisposable | undefined,
  ) {
    this.#service = service
    this.#payments = payments
    this.server = parts.server
    this.redis = parts.redis
    this.origin = parts.origin
    this.clock = parts.clock
  }

  /** With `payments`, packs can be bought from a simulated processor. */
  static async open(options: { payments?: boolean } = {}): Promise<AccountScene> {
    const port = await freePort('localhost')
    const origin = `http://localhost:${port}`
    const simulator = options.payments ? await startSimulator(EMPTY_WORLD) : undefined
    const service = await TestService.start({
      identity: true,
      settings: { PUBLIC_URL: origin, ...(simulator && processorSettings(simulator.addresses)) },
    })
    const clock = { aheadMs: 0 }
    const redis = new RedisConnection({ url: service.config.REDIS_URL, answerWithinMs: SESSIONS_ANSWER_WITHIN_MS })
    const server = await buildNode(service, service.config, redis, clock)
    await server.listen({ host: 'localhost', port })
    const worker = simulator && paymentWorker(service)
    const payments = simulator && {
      async [Symbol.asyncDispose]() {
        await worker?.[Symbol.asyncDispose]()
        await simulator.stop()
      },
    }
    return new AccountScene(service, { server, redis, origin, clock }, payments)
  }

  get stack(): TestService['stack'] {
    return this.#service.stack
  }

  get access(): Access {
    return this.#service.access
  }

  /** Another API process that has not discovered the identity provider yet, optionally with other settings. */
  newNode(changes: Partial<Config> = {}): Promise<FastifyInstance> {
    return buildNode(this.#service, { ...this.#service.config, ...changes }, this.redis, this.clock)
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
    await this.#payments?.[Symbol.asyncDispose]()
    await this.server.close()
    await this.redis.close()
    await this.#service[Symbol.asyncDispose]()
  }
}

const EMPTY_WORLD = {
  seed: 'pay',
  startMs: Date.now(),
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

/** The timeouts of production, because some of these tests stop Redis. */
const SESSIONS_ANSWER_WITHIN_MS = 1_000

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
  service: TestService,
  config: Config,
  redis: RedisConnection,
  clock: AccountScene['clock'],
): Promise<FastifyInstance> {
  const sessions = new Sessions({
    store: new SessionStore(redis),
    seal: new Seal(service.access.peppers, SIGN_IN_COOKIE),
    nowMs: () => Date.now() + clock.aheadMs,
  })
  const signIn = openSignIn(config, service.access)
  return service.newServer({ signIn: signIn && { ...signIn, sessions } })
}

import { SIMULATED_IPN_SECRET } from '@bookreel/simulator/payments/callback-text'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { pino } from 'pino'
import { vi } from 'vitest'
import { type Config, readConfig } from '../../src/config.ts'
import { CHECK_INTERVALS, type CheckIntervals } from '../../src/domain/invoice.ts'
import { packById } from '../../src/domain/packs.ts'
import type { Stores } from '../../src/endpoints/stores.ts'
import { buildServer } from '../../src/http/server.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import type { Processors } from '../../src/payments/processor.ts'
import { type Access, openAccess } from '../../src/roles/open-access.ts'
import { openProcessors } from '../../src/roles/open-processors.ts'
import { openSignIn } from '../../src/roles/open-sign-in.ts'
import { InvoiceChecks } from '../../src/stores/invoice-checks.ts'
import { type Invoice, Invoices } from '../../src/stores/invoices.ts'
import { PaymentEvents } from '../../src/stores/payment-events.ts'
import { type Database, openDatabase } from '../../src/stores/postgres-database.ts'
import { migratePostgres } from '../../src/stores/postgres-migrations.ts'
import { type PaymentsOptions, runPayments } from '../../src/workers/payments.ts'

export const WEBHOOK_SECRET = 'a secret of the simulated BTCPay'
const ORIGIN = 'http://localhost:8080'
const NOBODY = 'http://127.0.0.1:1'
const STORE = 'store-1'

/** Both processors, PostgreSQL, Redis, and the API where they call. */
export class PaymentScene implements AsyncDisposable {
  readonly stack: Stack
  readonly simulator: Simulator
  readonly config: Config
  readonly access: Access
  /** As patient as a test on a busy machine must be. */
  readonly database: Database
  readonly server: FastifyInstance
  readonly address: string
  /** May be replaced. */
  readonly processors: { current: Processors }
  readonly invoices: Invoices

  private constructor(
    parts: Pick<
      PaymentScene,
      'stack' | 'simulator' | 'config' | 'access' | 'database' | 'server' | 'address' | 'processors'
    >,
  ) {
    this.stack = parts.stack
    this.simulator = parts.simulator
    this.config = parts.config
    this.access = parts.access
    this.database = parts.database
    this.server = parts.server
    this.address = parts.address
    this.processors = parts.processors
    this.invoices = new Invoices(parts.database)
  }

  static async open(processor: 'nowpayments' | 'btcpay' = 'nowpayments'): Promise<PaymentScene> {
    const stack = await borrowStack({ engines: ['postgres', 'redis'] })
    const size = { hot: 0, medium: 0, cold: 0 }
    const simulator = await startSimulator({ seed: 'pay', startMs: Date.now(), size, speed: 1, port: 0, faults: [] })
    const settings = {
      ...stack.variables,
      CLICKHOUSE_URL: NOBODY,
      CLICKHOUSE_USER: 'nobody',
      CLICKHOUSE_PASSWORD: 'none',
      NATS_URL: NOBODY,
      KEY_PEPPER: 'a pepper that only tests know, long enough',
      OIDC_ISSUER: NOBODY,
      OIDC_CLIENT_ID: 'bookreel',
      OIDC_CLIENT_SECRET: 'none',
      PAYMENT_PROCESSOR: processor,
      NOWPAYMENTS_URL: simulator.addresses.nowPayments,
      NOWPAYMENTS_API_KEY: 'key',
      NOWPAYMENTS_IPN_SECRET: 'a newer secret than the one in use there',
      NOWPAYMENTS_IPN_SECRET_FORMER: SIMULATED_IPN_SECRET,
      BTCPAY_URL: simulator.addresses.btcPay,
      BTCPAY_STORE_ID: STORE,
      BTCPAY_API_KEY: 'key',
      BTCPAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
    }
    const access = openAccess(readConfig(settings), () => {})
    const database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 20_000 })
    await migratePostgres(database)
    await access.untilRedisReady()
    const config = readConfig({ ...settings, PUBLIC_URL: ORIGIN })
    const processors = { current: openProcessors(config) }
    const stores: Partial<Stores> = {
      accounts: access.accounts,
      keys: access.keys,
      ledger: access.ledger,
      invoices: new Invoices(database),
      paymentEvents: new PaymentEvents(database),
      processors: {
        get active() {
          return processors.current.active
        },
        byName: (name) => processors.current.byName(name),
      },
    }
    const server = await buildServer({
      gate: access.gate,
      // All that endpoints of payments ask.
      stores: stores as Stores,
      nowMs: Date.now,
      log: pino({ level: 'silent' }),
      isHttpsRequired: false,
      trustedProxies: [],
      signIn: openSignIn(config, access),
    })
    const address = await server.listen({ host: '127.0.0.1', port: 0 })
    // Only now is it known where the processors find us.
    processors.current = openProcessors({ ...config, PUBLIC_URL: address })
    const scene = new PaymentScene({
      stack,
      simulator,
      config,
      access,
      database,
      server,
      address,
      processors,
    })
    const url = `${address}/v1/payments/callbacks/btcpay`
    await scene.post(`${simulator.addresses.btcPay}/api/v1/stores/${STORE}/webhooks`, { url, secret: WEBHOOK_SECRET })
    return scene
  }

  async newAccount(): Promise<string> {
    const { id } = await this.access.accounts.create('buyer')
    // The free month comes first, so that what a payment brings is told apart.
    await this.access.ledger.spendable(id)
    return id
  }

  /** Made at the processor, as the endpoint does it. */
  async newInvoice(provider: 'nowpayments' | 'btcpay', packId: string, accountId: string): Promise<Required<Invoice>> {
    const pack = packById(packId)
    const processor = this.processors.current.byName(provider)
    if (pack === undefined || processor === undefined) throw new Error('no such pack or processor')
    const begun = await this.invoices.begin({ accountId, provider, pack, lifeMinutes: 60, mostOpen: 1_000 })
    if (begun.outcome !== 'begun') throw new Error(begun.outcome)
    const order = { orderId: begun.invoice.id, priceUsd: pack.priceUsd, description: pack.id, lifeMinutes: 60 }
    const made = await processor.createInvoice(order)
    return (await this.invoices.attach(begun.invoice.id, made, 3_600_000)) as Required<Invoice>
  }

  /** Tells the simulated processors what happens; the path is below their admin address. */
  async happen(path: string, body: object): Promise<void> {
    await this.post(`${this.simulator.addresses.admin}/payments/${path}`, body)
  }

  pay({ externalId }: Pick<Required<Invoice>, 'externalId'>, body: object = { act: 'pay' }): Promise<void> {
    return this.happen(`invoices/${externalId}`, body)
  }

  /** Follows invoices until it is disposed of. */
  worker(options: Partial<PaymentsOptions> = {}, intervals: CheckIntervals = CHECK_INTERVALS): AsyncDisposable {
    const stop = new AbortController()
    const running = runPayments(
      {
        invoices: this.invoices,
        checks: new InvoiceChecks(this.database, intervals),
        providers: ['nowpayments', 'btcpay'],
        fetchInvoice: async (invoice, signal) =>
          this.processors.current.byName(invoice.provider)?.fetchInvoice(invoice, signal),
        meter: { settled() {}, failed() {} },
        options: { idleMs: 20, ...options },
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

  async untilState({ id, accountId }: Invoice, state: string): Promise<Invoice> {
    return vi.waitUntil(
      async () => {
        const invoice = await this.invoices.find(id, accountId)
        return invoice?.state === state && invoice
      },
      { timeout: 10_000, interval: 20 },
    )
  }

  /** Everything that payments and paid months brought to an account. */
  async grantsOf(accountId: string): Promise<{ idem: string; delta: number }[]> {
    const { rows } = await sql<{ idem: string; delta: string }>`
      SELECT idem, delta FROM ledger WHERE account_id = ${accountId} AND idem NOT LIKE 'grant:%' ORDER BY id
    `.execute(this.database)
    return rows.map(({ idem, delta }) => ({ idem, delta: Number(delta) }))
  }

  async reviewsOf({ id }: Pick<Invoice, 'id'>): Promise<string[]> {
    const rows = await this.database
      .selectFrom('payment_reviews')
      .select('reason')
      .where('subject', '=', id)
      .where('resolved_at', 'is', null)
      .orderBy('id')
      .execute()
    return rows.map(({ reason }) => reason)
  }

  /** A browser in which the account's owner is signed in, or nobody. */
  async browserOf(accountId: string | undefined) {
    const token = accountId && (await this.access.sessions.begin({ accountId, idToken: 'none' }))
    const base = token === undefined ? {} : { cookie: `${SESSION_COOKIE}=${token}` }
    return async (method: 'GET' | 'POST', url: string, body?: object, headers: Record<string, string> = {}) => {
      const own = method === 'GET' ? {} : { origin: ORIGIN, 'x-requested-with': 'bookreel' }
      const answer = await this.server.inject({
        method,
        url,
        headers: { ...base, ...own, ...headers },
        ...(body !== undefined && { payload: body }),
      })
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
    }
  }

  async post(url: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json', authorization: 'token key' }
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.stop()
    await this.server.close()
    await this.access.close()
    await this.database.destroy()
    await this.stack.stop()
  }
}

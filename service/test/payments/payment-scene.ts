import { SIMULATED_IPN_SECRET } from '@bookreel/simulator/payments/callback-text'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import { PUBLIC_URL, TestService } from '@bookreel/testbed/service/test-service'
import { processorSettings } from '@bookreel/testbed/venue-settings'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { vi } from 'vitest'
import type { Config } from '../../src/config.ts'
import { CHECK_INTERVALS, type CheckIntervals } from '../../src/domain/invoice.ts'
import { packById } from '../../src/domain/packs.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import type { Processors } from '../../src/payments/processor.ts'
import type { Database } from '../../src/stores/engines/postgres-database.ts'
import { InvoiceChecks } from '../../src/stores/money/invoice-checks.ts'
import { type Invoice, Invoices } from '../../src/stores/money/invoices.ts'
import type { Access } from '../../src/wiring/open-access.ts'
import { openProcessors } from '../../src/wiring/open-processors.ts'
import { type PaymentsOptions, runPayments } from '../../src/workers/payments.ts'

export const WEBHOOK_SECRET = 'a secret of the simulated BTCPay'
const NOBODY = 'http://127.0.0.1:1'
const STORE = 'store-1'

/** A service with payments, and both simulated processors, which call it. */
export class PaymentScene implements AsyncDisposable {
  readonly simulator: Simulator
  readonly config: Config
  readonly access: Access
  readonly database: Database
  readonly server: FastifyInstance
  readonly address: string
  /** May be replaced. */
  readonly processors: { current: Processors }
  readonly invoices: Invoices
  readonly #service: TestService

  private constructor(
    service: TestService,
    parts: Pick<PaymentScene, 'simulator' | 'server' | 'address' | 'processors'>,
  ) {
    this.#service = service
    this.config = service.config
    this.access = service.access
    this.database = service.access.database
    this.simulator = parts.simulator
    this.server = parts.server
    this.address = parts.address
    this.processors = parts.processors
    this.invoices = new Invoices(this.database)
  }

  static async open(processor: 'nowpayments' | 'btcpay' = 'nowpayments'): Promise<PaymentScene> {
    const size = { hot: 0, medium: 0, cold: 0 }
    const simulator = await startSimulator({ seed: 'pay', startMs: WORLD_NOW_MS, size, speed: 1, port: 0, faults: [] })
    const service = await TestService.start({
      settings: {
        OIDC_ISSUER: NOBODY,
        OIDC_CLIENT_ID: 'bookreel',
        OIDC_CLIENT_SECRET: 'none',
        ...processorSettings(simulator.addresses),
        PAYMENT_PROCESSOR: processor,
        NOWPAYMENTS_IPN_SECRET: 'a newer secret than the one in use there',
        NOWPAYMENTS_IPN_SECRET_FORMER: SIMULATED_IPN_SECRET,
        BTCPAY_URL: simulator.addresses.btcPay,
        BTCPAY_STORE_ID: STORE,
        BTCPAY_API_KEY: 'key',
        BTCPAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
      },
    })
    const processors = { current: openProcessors(service.config) }
    const server = await service.newServer({
      pipeline: {
        stores: {
          ...service.stores,
          processors: {
            get active() {
              return processors.current.active
            },
            byName: (name) => processors.current.byName(name),
          },
        },
      },
    })
    const address = await server.listen({ host: '127.0.0.1', port: 0 })
    // The callback address is known only now.
    processors.current = openProcessors({ ...service.config, PUBLIC_URL: address })
    const scene = new PaymentScene(service, { simulator, server, address, processors })
    const url = `${address}/v1/payments/callbacks/btcpay`
    await scene.post(`${simulator.addresses.btcPay}/api/v1/stores/${STORE}/webhooks`, { url, secret: WEBHOOK_SECRET })
    return scene
  }

  get stack(): TestService['stack'] {
    return this.#service.stack
  }

  async newAccount(): Promise<string> {
    const { id } = await this.access.accounts.create('buyer')
    // The free month is granted first, so that grants of payments can be recognised.
    await this.access.ledger.spendable(id)
    return id
  }

  /** Creates an invoice at the processor, as the endpoint does. */
  async newInvoice(provider: 'nowpayments' | 'btcpay', packId: string, accountId: string): Promise<Required<Invoice>> {
    const pack = packById(packId)
    const processor = this.processors.current.byName(provider)
    if (pack === undefined || processor === undefined) throw new Error('no such pack or processor')
    const begun = await this.invoices.begin({ accountId, provider, pack, lifeMinutes: 60 })
    if (begun.outcome !== 'begun') throw new Error(begun.outcome)
    const order = { orderId: begun.invoice.id, priceUsd: pack.priceUsd, description: pack.id, lifeMinutes: 60 }
    const made = await processor.createInvoice(order)
    return (await this.invoices.attach(begun.invoice.id, made, 3_600_000)) as Required<Invoice>
  }

  /** Sends a command to the simulated processors; the path is below their admin address. */
  async happen(path: string, body: object): Promise<void> {
    await this.post(`${this.simulator.addresses.admin}/payments/${path}`, body)
  }

  pay({ externalId }: Pick<Required<Invoice>, 'externalId'>, body: object = { act: 'pay' }): Promise<void> {
    return this.happen(`invoices/${externalId}`, body)
  }

  /** Runs a payment worker until it is disposed of. */
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
      { timeout: 120_000, interval: 20 },
    )
  }

  /** All grants of payments and paid months to an account. */
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

  /** A browser with or without a session of the account. */
  async browserOf(accountId: string | undefined) {
    const token = accountId && (await this.access.sessions.begin({ accountId, idToken: 'none' }))
    const base = token === undefined ? {} : { cookie: `${SESSION_COOKIE}=${token}` }
    return async (method: 'GET' | 'POST', url: string, body?: object, headers: Record<string, string> = {}) => {
      const own = method === 'GET' ? {} : { origin: PUBLIC_URL, 'x-requested-with': 'bookreel' }
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
    await this.#service[Symbol.asyncDispose]()
  }
}

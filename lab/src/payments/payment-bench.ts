import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '@bookreel/service/config'
import { packById } from '@bookreel/service/domain/packs'
import type { Processors } from '@bookreel/service/payments/processor'
import { Invoices } from '@bookreel/service/stores/money/invoices'
import { type Access, openAccess } from '@bookreel/service/wiring/open-access'
import { openProcessors } from '@bookreel/service/wiring/open-processors'
import type { Webhook } from '@bookreel/simulator/payments/callback-text'
import type { SimulatedInvoice } from '@bookreel/simulator/payments/invoice-book'
import type { Stack } from '@bookreel/stack/start-stack'
import { PATIENT } from '@bookreel/testbed/service/store-limits'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { processorSettings } from '@bookreel/testbed/venue-settings'
import type { Progress } from '../experiment.ts'
import { HttpClient, type Reply } from '../http-client.ts'
import { ListeningProcess } from '../listening-process.ts'
import { prepareService, ServiceProcess } from '../service-process.ts'
import { SimulatorProcess } from '../simulator-process.ts'

export type Provider = 'nowpayments' | 'btcpay'

export interface LabInvoice {
  readonly id: string
  readonly accountId: string
  readonly provider: Provider
  readonly externalId: string
  readonly pack: string
}

const STORE = 'lab'
const WEBHOOK_SECRET = 'a secret that only the lab knows'
const WORKERS = 2
/** So many that none uses up its budget. */
const ADDRESSES = 100_000

/** Both simulated processors, the API that they call, and payment workers, each in its own process. */
export class PaymentBench implements AsyncDisposable {
  readonly stack: Stack
  readonly simulator: SimulatorProcess
  readonly api: ListeningProcess
  readonly access: Access
  readonly client = new HttpClient(32)
  readonly #processors: Processors
  readonly #environment: Record<string, string>
  readonly #folder: string
  readonly #workers: ServiceProcess[] = []
  #calls = 0

  private constructor(
    parts: Pick<PaymentBench, 'stack' | 'simulator' | 'api' | 'access'>,
    environment: Record<string, string>,
    folder: string,
  ) {
    this.stack = parts.stack
    this.simulator = parts.simulator
    this.api = parts.api
    this.access = parts.access
    this.#environment = environment
    this.#folder = folder
    this.#processors = openProcessors(readConfig({ ...environment, PUBLIC_URL: `http://127.0.0.1:${parts.api.port}` }))
  }

  static async start(progress: Progress): Promise<PaymentBench> {
    progress('starting the engines, the processors and the API')
    const stack = await borrowStack()
    const simulator = await SimulatorProcess.start(['--markets', '0'])
    const folder = await mkdtemp(join(tmpdir(), 'bookreel-lab-'))
    const environment = {
      ...stack.variables,
      KEY_PEPPER: 'a pepper that only the lab knows, long enough',
      PUBLIC_URL: 'http://127.0.0.1:1',
      // Lets callbacks come from many addresses, each with its own budget.
      TRUSTED_PROXIES: '127.0.0.1',
      ...processorSettings(simulator.addresses),
      BTCPAY_URL: simulator.addresses.btcPay,
      BTCPAY_STORE_ID: STORE,
      BTCPAY_API_KEY: 'key',
      BTCPAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
    }
    await prepareService(environment)
    const api = await ListeningProcess.start('api', environment, folder)
    const access = openAccess(readConfig(environment), () => {}, PATIENT)
    const bench = new PaymentBench({ stack, simulator, api, access }, environment, folder)
    try {
      await bench.untilListening()
      const url = `http://127.0.0.1:${api.port}/v1/payments/callbacks/btcpay`
      const hooks = `${simulator.addresses.btcPay}/api/v1/stores/${STORE}/webhooks`
      await bench.#send(hooks, { url, secret: WEBHOOK_SECRET })
      for (let worker = 0; worker < WORKERS; worker++) bench.#workers.push(await bench.#startWorker())
      return bench
    } catch (error) {
      await bench[Symbol.asyncDispose]()
      throw error
    }
  }

  /** A callback as BTCPay sends it. */
  get webhook(): Webhook {
    return { id: 'lab', storeId: STORE, url: '', secret: WEBHOOK_SECRET }
  }

  get workerCount(): number {
    return this.#workers.length
  }

  async killWorker(index: number): Promise<void> {
    await this.#workers[index]?.kill()
  }

  async restartWorker(index: number): Promise<void> {
    this.#workers[index] = await this.#startWorker()
  }

  /** Creates an account with an invoice for this pack at its processor. */
  async newInvoice(provider: Provider, packId: string): Promise<LabInvoice> {
    const pack = packById(packId)
    const processor = this.#processors.byName(provider)
    if (pack === undefined || processor === undefined) throw new Error('unknown pack or processor')
    const { id: accountId } = await this.access.accounts.create('lab')
    const invoices = new Invoices(this.access.database)
    const begun = await invoices.begin({ accountId, provider, pack, lifeMinutes: 60 })
    if (begun.outcome !== 'begun') throw new Error(begun.outcome)
    const { id } = begun.invoice
    const order = { orderId: id, priceUsd: pack.priceUsd, description: pack.id, lifeMinutes: 60 }
    const made = await processor.createInvoice(order)
    // Workers don't poll by themselves during a run; `askAgain` makes an invoice due.
    await invoices.attach(id, made, 86_400_000)
    return { id, accountId, provider, externalId: made.externalId, pack: pack.id }
  }

  /** Changes the state of an invoice at its processor. */
  async happen({ externalId }: LabInvoice, body: object): Promise<SimulatedInvoice> {
    const text = await this.#send(`${this.simulator.addresses.admin}/payments/invoices/${externalId}`, body)
    return JSON.parse(text) as SimulatedInvoice
  }

  /** Makes an invoice due, so that a worker polls the processor. */
  async askAgain({ id }: LabInvoice): Promise<void> {
    const { database } = this.access
    await database.updateTable('invoices').set({ next_check_at: new Date() }).where('id', '=', id).execute()
  }

  async delivery(body: object): Promise<void> {
    await this.#send(`${this.simulator.addresses.admin}/payments/delivery`, body)
  }

  call(provider: Provider, body: Buffer | string, headers: Record<string, string>): Promise<Reply> {
    const address = this.#calls++ % ADDRESSES
    return this.client.ask({
      port: this.api.port,
      path: `/v1/payments/callbacks/${provider}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`,
        ...headers,
      },
      body,
    })
  }

  /** Waits for any response. */
  async untilListening(): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const reply = await this.client
        .ask({ port: this.api.port, path: '/health/live', timeoutMs: 2_000 })
        .catch(() => undefined)
      if (reply?.status === 200) return
      await sleep(100)
    }
    throw new Error('the API does not respond')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]()
    await Promise.all(this.#workers.map((each) => each[Symbol.asyncDispose]()))
    await this.api[Symbol.asyncDispose]()
    await this.access.close()
    await this.simulator[Symbol.asyncDispose]()
    await this.stack.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #startWorker(): Promise<ServiceProcess> {
    return ServiceProcess.start('payments', this.#environment, this.#folder)
  }

  async #send(url: string, body: object): Promise<string> {
    const { port, pathname } = new URL(url)
    const headers = { 'content-type': 'application/json', authorization: 'token lab' }
    const text = JSON.stringify(body)
    const reply = await this.client.ask({ port: Number(port), path: pathname, method: 'POST', headers, body: text })
    if (reply.status >= 300) throw new Error(`${reply.status} ${reply.body.toString()}`)
    return reply.body.toString()
  }
}

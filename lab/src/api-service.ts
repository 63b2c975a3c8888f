import { setTimeout as sleep } from 'node:timers/promises'
import { issueKey } from '@bookreel/service/access/issue-key'
import { readConfig } from '@bookreel/service/config'
import type { Tier } from '@bookreel/service/domain/tier'
import { type Access, openAccess } from '@bookreel/service/wiring/open-access'
import { USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import { PATIENT } from '@bookreel/testbed/service/store-limits'
import type { Progress } from './experiment.ts'
import { HttpClient } from './http-client.ts'
import { ListeningProcess } from './listening-process.ts'
import { RecordingService, ROLES } from './recording-service.ts'

export interface ApiServiceOptions {
  readonly world: readonly string[]
  /** API processes; default 1. */
  readonly processes?: number
  /** Snapshots that some market must have before the start; default 20. */
  readonly rows?: number
  /** Stop recording once there is data to serve; recorded data remains. */
  readonly thenStill?: boolean
  /** With an identity provider, so that users can sign in. */
  readonly withSignIn?: boolean
  /** Further settings of the API. */
  readonly settings?: Readonly<Record<string, string>>
  /** A module imported into the API processes. */
  readonly preload?: string
}

export interface LabAccount {
  readonly id: string
  readonly keyId: string
  readonly key: string
}

/** The members of a live market that the lab uses. */
export interface LabMarket {
  readonly conditionId: string
  readonly slug: string
  readonly question: string
  readonly category: string
  readonly expiresIn: number
}

/** Public address; requests from its pages may change data. */
const PUBLIC_URL = 'http://localhost:8080'
const KEY_PEPPER = 'a pepper that only the lab knows, long enough'
/** Four rows come a second; three times as long is a machine that has other work. */
const SECONDS_PER_ROW = 0.75
const STARTS_WITHIN_S = 180

type ApiServiceParts = Pick<ApiService, 'recording' | 'access' | 'processes' | 'client' | 'environment'>

/** All recording roles and the API, each in its own process. */
export class ApiService implements AsyncDisposable {
  readonly recording: RecordingService
  readonly processes: readonly ListeningProcess[]
  readonly access: Access
  readonly client: HttpClient
  /** Environment for further roles that accept the same keys. */
  readonly environment: Readonly<Record<string, string>>
  readonly #all: AsyncDisposableStack

  private constructor(parts: ApiServiceParts, all: AsyncDisposableStack) {
    this.recording = parts.recording
    this.access = parts.access
    this.processes = parts.processes
    this.client = parts.client
    this.environment = parts.environment
    this.#all = all
  }

  static async start(options: ApiServiceOptions, progress: Progress): Promise<ApiService> {
    await using started = new AsyncDisposableStack()
    const engines = options.withSignIn ? ([...USUAL_ENGINES, 'identity'] as const) : USUAL_ENGINES
    const recording = started.use(await RecordingService.start(options.world, progress, { engines }))
    const count = options.processes ?? 1
    const environment = {
      // No user can sign in without an identity provider, but sessions created by the lab are valid.
      OIDC_ISSUER: 'http://127.0.0.1:1',
      OIDC_CLIENT_ID: 'lab',
      OIDC_CLIENT_SECRET: 'lab',
      ...recording.stack.variables,
      KEY_PEPPER,
      NODE_COUNT: String(count),
      // Lets a client choose its address, as behind a proxy.
      TRUSTED_PROXIES: '127.0.0.1',
      PUBLIC_URL,
      PAYMENT_PROCESSOR: 'nowpayments',
      NOWPAYMENTS_URL: recording.simulator.addresses.nowPayments,
      NOWPAYMENTS_API_KEY: 'lab',
      NOWPAYMENTS_IPN_SECRET: 'a secret that only the lab knows',
      ...options.settings,
    }
    const access = openAccess(readConfig(environment), () => {}, PATIENT)
    started.defer(() => access.close())
    const client = new HttpClient(64)
    started.defer(() => client[Symbol.dispose]())
    const processes: ListeningProcess[] = []
    await recording.untilTrusted(progress)
    progress('starting the API')
    const preload = options.preload === undefined ? {} : { preload: options.preload }
    for (let index = 0; index < count; index++) {
      processes.push(started.use(await ListeningProcess.start('api', environment, recording.folder, preload)))
    }
    await access.untilRedisReady()
    await Promise.all(processes.map((each) => each.untilOpen(client)))
    await untilRecorded(recording, options.rows ?? 20, progress)
    const service = new ApiService({ recording, access, processes, client, environment }, started.move())
    if (options.thenStill) await service.stopRecording()
    return service
  }

  get port(): number {
    return this.processes[0]?.port ?? 0
  }

  /** Stops the recording roles and the simulated venues; recorded data remains. */
  async stopRecording(): Promise<void> {
    for (const role of ROLES) await this.recording.role(role)[Symbol.asyncDispose]()
    await this.recording.simulator[Symbol.asyncDispose]()
  }

  /** Creates an account with exactly this number of credits, and a key. */
  async openAccount(tier: Tier, credits: number): Promise<LabAccount> {
    const { access } = this
    const { id } = await access.accounts.create(`lab ${tier}`)
    await access.accounts.setTier(id, { tier, monthlyCredits: 0 })
    const balance = (await access.ledger.spendable(id))?.balance ?? 0
    if (credits !== balance) {
      await access.ledger.grant({ accountId: id, credits: credits - balance, kind: 'adjustment', idem: 'lab' })
    }
    const { key, stored } = await issueKey(access, { accountId: id, label: 'lab' })
    return { id, keyId: stored.id, key }
  }

  async openAccounts(count: number, tier: Tier, credits: number): Promise<LabAccount[]> {
    const accounts: LabAccount[] = []
    for (let index = 0; index < count; index++) accounts.push(await this.openAccount(tier, credits))
    return accounts
  }

  /** Live markets, the one that ends last first. */
  async liveMarkets(key: string): Promise<LabMarket[]> {
    const reply = await this.client.ask({
      port: this.port,
      path: '/v1/markets/live?status=live',
      headers: { 'x-api-key': key },
    })
    if (reply.status !== 200) throw new Error(`/v1/markets/live responded with status ${reply.status}`)
    const markets = JSON.parse(reply.body.toString()) as LabMarket[]
    return markets.sort((one, other) => other.expiresIn - one.expiresIn)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#all.disposeAsync()
  }
}

async function untilRecorded(recording: RecordingService, rows: number, progress: Progress): Promise<void> {
  const limitS = STARTS_WITHIN_S + Math.ceil(rows * SECONDS_PER_ROW)
  for (let second = 0; second < limitS; second++) {
    const answer = await recording.clickhouse.query({
      query: 'SELECT max(count) AS most FROM (SELECT count() AS count FROM snapshots GROUP BY market_id)',
      format: 'JSONEachRow',
    })
    const [row] = await answer.json<{ most: string | number }>()
    if (Number(row?.most) >= rows) return
    progress(`${row?.most} of ${rows} rows recorded`)
    await sleep(1_000)
  }
  throw new Error(`fewer than ${rows} rows were recorded within ${limitS} s`)
}

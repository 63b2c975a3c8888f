import { SIMULATED_IPN_SECRET } from '@bookreel/simulator/payments/callback-text'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import type { WorldOptions } from '@bookreel/simulator/world/world'
import { OPTIONAL_ENGINES, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { vi } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Scope } from '../../src/domain/scope.ts'
import type { Tier } from '../../src/domain/tier.ts'
import { buildServer } from '../../src/http/server.ts'
import { archiveRole } from '../../src/roles/archive-role.ts'
import { captureRole } from '../../src/roles/capture-role.ts'
import { catalogueRole } from '../../src/roles/catalogue-role.ts'
import { hotRole } from '../../src/roles/hot-role.ts'
import { type Access, openAccess } from '../../src/roles/open-access.ts'
import { openSignIn } from '../../src/roles/open-sign-in.ts'
import { type OpenStores, openStores } from '../../src/roles/open-stores.ts'
import { prepare } from '../../src/roles/prepare.ts'
import { PUBLIC_URL } from './public-url.ts'

export interface Answered {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
  /** Parsed when it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
  readonly body: any
}

export interface Asking {
  readonly key?: string | undefined
  readonly headers?: Record<string, string>
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly payload?: string
}

/** Real engines, a simulated world that is being recorded, and the API over what is recorded. */
export interface RecordedService extends AsyncDisposable {
  readonly stack: Stack
  readonly simulator: Simulator
  /** Whoever makes a world of these again sees what the recorded one did. */
  readonly worldOptions: WorldOptions
  readonly config: Config
  readonly stores: OpenStores
  readonly access: Access
  readonly server: FastifyInstance
  /** A key of an account of that tier, made once for each tier; with `fresh`, of an account of its own. */
  keyOf(tier: Tier, options?: { fresh?: true; credits?: number; scopes?: readonly Scope[] }): Promise<string>
  ask(path: string, asking?: Asking): Promise<Answered>
  /** Stops recording; what was recorded stays. */
  stopRecording(): Promise<void>
}

export interface RecordedServiceOptions {
  readonly size?: WorldOptions['size']
  /** Rows of the busiest market before it begins; default 12. */
  readonly rows?: number
  /** Whether people can sign in. */
  readonly identity?: boolean
}

const WORLD_SIZE = { hot: 8, medium: 14, cold: 40 }

export async function startRecordedService(options: RecordedServiceOptions = {}): Promise<RecordedService> {
  const stack = await startStack(options.identity ? { engines: [...USUAL_ENGINES, ...OPTIONAL_ENGINES] } : {})
  const worldOptions = { seed: 'http', startMs: Date.now(), size: options.size ?? WORLD_SIZE }
  const simulator = await startSimulator({ ...worldOptions, speed: 1, port: 0, faults: [] })
  const config = readConfig({
    ...stack.variables,
    POLYMARKET_GAMMA_URL: simulator.addresses.gamma,
    POLYMARKET_CLOB_URL: simulator.addresses.clob,
    POLYMARKET_SOCKET_URL: simulator.addresses.marketSocket,
    HYPERLIQUID_INFO_URL: simulator.addresses.perpInfo,
    HYPERLIQUID_SOCKET_URL: simulator.addresses.perpSocket,
    BINANCE_SOCKET_URL: simulator.addresses.spotSocket,
    STREAM_MAX_BYTES: '500000000',
    KEY_PEPPER: 'a pepper that only tests know, long enough',
    PUBLIC_URL,
    PAYMENT_PROCESSOR: 'nowpayments',
    NOWPAYMENTS_URL: simulator.addresses.nowPayments,
    NOWPAYMENTS_API_KEY: 'key',
    NOWPAYMENTS_IPN_SECRET: SIMULATED_IPN_SECRET,
  })
  await prepare(config)
  const log = pino({ level: 'silent' })
  const stopRecorder = new AbortController()
  const recorder = Promise.allSettled(
    [captureRole, archiveRole, hotRole, catalogueRole].map((role) =>
      role({ config, log, registry: new Registry() }, stopRecorder.signal),
    ),
  )
  const stop = new AbortController()
  const access = openAccess(config, () => {})
  const stores = openStores(config, access.database, () => {})
  await access.untilRedisReady()
  const server = await buildServer({
    gate: access.gate,
    stores,
    nowMs: Date.now,
    log,
    isHttpsRequired: false,
    trustedProxies: [],
    signIn: openSignIn(config, access),
  })
  const background = Promise.allSettled([access.run(stop.signal), stores.catalogue.run(() => {}, stop.signal)])
  const rows = options.rows ?? 12
  await vi.waitUntil(() => hasRecorded(stores, rows), { timeout: 60_000, interval: 250 })

  const keys = new Map<Tier, Promise<string>>()
  const makeKey = async (tier: Tier, credits: number, scopes?: readonly Scope[]): Promise<string> => {
    const { id } = await access.accounts.create(`test ${tier}`)
    await access.accounts.setTier(id, { tier, monthlyCredits: 0 })
    if (credits > 0) await access.ledger.grant({ accountId: id, credits, kind: 'grant', idem: 'test' })
    return (await issueKey(access, { accountId: id, label: 'test', ...(scopes && { scopes }) })).key
  }
  return {
    stack,
    simulator,
    worldOptions,
    config,
    stores,
    access,
    server,
    keyOf(tier, { fresh, credits = 1_000_000, scopes } = {}) {
      if (fresh || scopes) return makeKey(tier, credits, scopes)
      const known = keys.get(tier) ?? makeKey(tier, credits)
      keys.set(tier, known)
      return known
    },
    async ask(path, { key, headers = {}, method = 'GET', payload } = {}) {
      const answer = await server.inject({
        method,
        url: path,
        headers: { ...(key !== undefined && { 'x-api-key': key }), ...headers },
        ...(payload !== undefined && { payload }),
      })
      const type = String(answer.headers['content-type'] ?? '')
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        text: answer.body,
        body: type.startsWith('application/json') ? JSON.parse(answer.body) : undefined,
      }
    },
    async stopRecording() {
      stopRecorder.abort()
      await recorder
    },
    async [Symbol.asyncDispose]() {
      stopRecorder.abort()
      stop.abort()
      await server.close()
      await Promise.all([recorder, background])
      await stores[Symbol.asyncDispose]()
      await access.close()
      await simulator.stop()
      await stack.stop()
    },
  }
}

/** Some live crypto market has that many rows in ClickHouse, and is in Redis too. */
async function hasRecorded(stores: OpenStores, rows: number): Promise<boolean> {
  const [market] = stores.catalogue.list({ category: 'crypto', statuses: ['live'] }, Date.now())
  if (market === undefined) return false
  const days = await stores.marketDays.days(market.id)
  const stored = days.reduce((sum, { rowCount }) => sum + rowCount, 0)
  return stored >= rows && (await stores.latest.read(market.id)).length > 0
}

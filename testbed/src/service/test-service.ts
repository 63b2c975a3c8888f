import { AnonymousBudget } from '@bookreel/service/access/anonymous-budget'
import { issueKey } from '@bookreel/service/access/issue-key'
import { KnownRate } from '@bookreel/service/access/known-rate'
import { prepare } from '@bookreel/service/commands/prepare'
import { type Config, readConfig } from '@bookreel/service/config'
import { type Clock, wallClock } from '@bookreel/service/domain/clock'
import type { Scope } from '@bookreel/service/domain/scope'
import type { Tier } from '@bookreel/service/domain/tier'
import { buildServer, type ServerOptions } from '@bookreel/service/http/server'
import { type Access, openAccess } from '@bookreel/service/wiring/open-access'
import type { OpenGateway } from '@bookreel/service/wiring/open-gateway'
import { openPipeline } from '@bookreel/service/wiring/open-pipeline'
import { openSignIn } from '@bookreel/service/wiring/open-sign-in'
import { type OpenStores, openStores } from '@bookreel/service/wiring/open-stores'
import { runLiveCatalogue } from '@bookreel/service/wiring/run-live-catalogue'
import type { StoreLimits } from '@bookreel/service/wiring/store-limits'
import type { Simulator } from '@bookreel/simulator/simulator'
import type { WorldOptions } from '@bookreel/simulator/world/world'
import { OPTIONAL_ENGINES, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import type { Stack } from '@bookreel/stack/start-stack'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { borrowStack } from '../stacks/borrow-stack.ts'
import { copyMigratedDatabase } from '../stacks/migrated-database.ts'
import { createPostgresLogins, settingsFor } from '../stacks/test-logins.ts'
import { until } from '../until.ts'
import { processorSettings, venueSettings } from '../venue-settings.ts'
import { FrozenWorld } from '../world/frozen-world.ts'
import { placeWorld } from '../world/place-world.ts'
import type { VirtualClock } from '../world/recording.ts'
import { MOVING_SETTINGS, WorldMover } from '../world/world-mover.ts'
import { WORLD_NOW_MS } from '../world/world-times.ts'
import { openVenues, Recorder, type RecorderOptions, type Venues } from './recorder.ts'
import { PATIENT } from './store-limits.ts'

/** Tests send everything from one address. */
const UNLIMITED = { rpm: 10_000_000, burst: 1_000_000 }
const GENEROUS = { requests: UNLIMITED, sign_ins: UNLIMITED, upgrades: UNLIMITED, callbacks: UNLIMITED }

/** Public address of the test service. Nothing listens there: requests are injected. */
export const PUBLIC_URL = 'http://localhost:8080'

export interface Answered {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
  /** Parsed when it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its reply.
  readonly body: any
}

export interface Asking {
  readonly key?: string | undefined
  readonly headers?: Record<string, string>
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly payload?: string
  /** One of `newServer`. */
  readonly server?: FastifyInstance
}

export interface TestServiceOptions {
  /** Start simulated venues and a recorder. Otherwise the tables are empty until the test fills them. */
  readonly record?: true | RecorderOptions
  /** Serve a few recorded minutes of all venues. The clock stands still, or is moved by `service.world.advance`. */
  readonly world?: 'frozen' | 'moving'
  /** Start an identity provider, so that users can sign in. */
  readonly identity?: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** Store timeouts of the API; default: long enough for a slow machine. */
  readonly limits?: StoreLimits
  /** The clock of the API; default: `clock` of the service, and with a recorder that of the machine. */
  readonly nowMs?: Clock
}

interface ServerChanges extends Omit<Partial<ServerOptions>, 'pipeline'> {
  readonly pipeline?: Partial<ServerOptions['pipeline']>
}

export interface IssuedAccount {
  readonly key: string
  readonly keyId: string
  readonly accountId: string
}

type Parts = Pick<TestService, 'stack' | 'config' | 'access' | 'stores' | 'registry' | 'server' | 'clock' | 'nowMs'> & {
  readonly venues: Venues | undefined
  readonly world: FrozenWorld | undefined
  readonly gateways: Set<OpenGateway>
  readonly mover: WorldMover | undefined
}

/** Real engines, the API, and optionally simulated venues that are being recorded. */
export class TestService implements AsyncDisposable {
  readonly stack: Stack
  readonly config: Config
  readonly stores: OpenStores
  readonly access: Access
  /** The metrics of the API. */
  readonly registry: Registry
  readonly server: FastifyInstance
  /** Stands still at the time of the frozen world, until a test moves it. Only `world.advance` moves a moving world. */
  readonly clock: VirtualClock
  /** The clock of the API. */
  readonly nowMs: Clock
  /** Those that `startGatewayNode` has started. */
  readonly gateways: Set<OpenGateway>
  readonly #world: FrozenWorld | undefined
  readonly #mover: WorldMover | undefined
  readonly #venues: Venues | undefined
  readonly #stop = new AbortController()
  readonly #background: Promise<unknown>
  readonly #keys = new Map<Tier, Promise<string>>()
  #recorder: Recorder | undefined

  private constructor(parts: Parts) {
    this.stack = parts.stack
    this.config = parts.config
    this.access = parts.access
    this.stores = parts.stores
    this.registry = parts.registry
    this.server = parts.server
    this.clock = parts.clock
    this.nowMs = parts.nowMs
    this.gateways = parts.gateways
    this.#world = parts.world
    this.#mover = parts.mover
    this.#venues = parts.venues
    const { signal } = this.#stop
    const log = pino({ level: 'silent' })
    const { catalogue } = this.stores
    const kept = { config: this.config, catalogue, registry: this.registry, log, onTrouble: () => {} }
    this.#background = Promise.allSettled([this.access.run(signal), runLiveCatalogue(kept, signal)])
  }

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const recording = options.record === true ? {} : options.record
    const engines = options.identity ? [...USUAL_ENGINES, ...OPTIONAL_ENGINES] : USUAL_ENGINES
    const stack = await borrowStack({ engines })
    const venues = recording && (await openVenues(recording))
    const variables = { ...stack.variables, ...options.settings }
    const config = readConfig({
      ...variables,
      STREAM_MAX_BYTES: '500000000',
      KEY_PEPPER: 'a pepper that only tests know, long enough',
      PUBLIC_URL,
      ...(venues && settingsOf(venues)),
      ...(options.world === 'moving' && MOVING_SETTINGS),
      ...options.settings,
    })
    await copyMigratedDatabase(stack)
    await createPostgresLogins(stack)
    await prepare(config)
    const limits = options.limits ?? PATIENT
    const clock = { nowMs: WORLD_NOW_MS }
    const nowMs = options.nowMs ?? (recording ? wallClock : () => clock.nowMs)
    const access = openAccess(config, () => {}, limits, nowMs)
    const stores = openStores(config, access.database, () => {}, limits, nowMs)
    await access.untilRedisReady()
    await until('Redis connected', () => stores.redis.isReady)
    const facts = options.world && (await placeWorld({ config, database: access.database, redis: stores.redis }))
    const gateways = new Set<OpenGateway>()
    const mover =
      facts && options.world === 'moving'
        ? await WorldMover.start({ config, stores, clock, gateways, facts })
        : undefined
    const world = facts && new FrozenWorld(facts, mover)
    await stores.catalogue.refresh(nowMs())
    const registry = new Registry()
    const server = await newServer({ config, access, stores, registry, nowMs })
    const service = new TestService({
      ...{ stack, config, access, stores, registry, server, clock, nowMs, venues },
      ...{ world, gateways, mover },
    })
    if (recording)
      service.#recorder = await Recorder.start(
        { ...config, ...settingsFor({ variables }, 'recorder') },
        stores,
        recording,
      )
    return service
  }

  get world(): FrozenWorld {
    if (this.#world === undefined) throw new Error("This test service has no world. Start it with { world: 'frozen' }.")
    return this.#world
  }

  get simulator(): Simulator {
    return this.#recorded().simulator
  }

  get worldOptions(): WorldOptions {
    return this.#recorded().worldOptions
  }

  /** Another API over the same stores. */
  newServer(changes: ServerChanges = {}): Promise<FastifyInstance> {
    return newServer(this, changes)
  }

  /** A key of that tier, created once per tier; with `fresh`, for a new account. */
  keyOf(
    tier: Tier,
    { fresh, ...choices }: { fresh?: true; credits?: number; scopes?: readonly Scope[] } = {},
  ): Promise<string> {
    const make = async (): Promise<string> => (await this.newAccount(tier, choices)).key
    if (fresh || choices.scopes) return make()
    const known = this.#keys.get(tier) ?? make()
    this.#keys.set(tier, known)
    return known
  }

  async newAccount(
    tier: Tier,
    { credits = 1_000_000, scopes }: { credits?: number; scopes?: readonly Scope[] } = {},
  ): Promise<IssuedAccount> {
    const { id: accountId } = await this.access.accounts.create(`test ${tier}`)
    await this.access.accounts.setTier(accountId, { tier, monthlyCredits: 0 })
    if (credits > 0) await this.access.ledger.grant({ accountId, credits, kind: 'grant', idem: 'test' })
    const { key, stored } = await issueKey(this.access, { accountId, label: 'test', ...(scopes && { scopes }) })
    return { key, keyId: stored.id, accountId }
  }

  async ask(
    path: string,
    { key, headers = {}, method = 'GET', payload, server = this.server }: Asking = {},
  ): Promise<Answered> {
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
  }

  /** Stops recording; what was recorded stays. */
  async stopRecording(): Promise<void> {
    await this.#recorder?.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const recorded = this.stopRecording()
    this.#stop.abort()
    await this.server.close()
    await this.#mover?.stop()
    await Promise.all([recorded, this.#background])
    await this.stores[Symbol.asyncDispose]()
    await this.access.close()
    await this.#venues?.simulator.stop()
    await this.stack.stop()
  }

  #recorded(): Venues {
    if (this.#venues === undefined) throw new Error('This test service has no venues. Start it with { record: true }.')
    return this.#venues
  }
}

function newServer(
  { config, access, stores, registry, nowMs }: Pick<TestService, 'config' | 'access' | 'stores' | 'registry' | 'nowMs'>,
  { pipeline, ...changes }: ServerChanges = {},
): Promise<FastifyInstance> {
  const signIn = 'signIn' in changes ? changes.signIn : openSignIn(config, access)
  return buildServer({
    pipeline: { ...openPipeline({ access, stores, registry, signIn, nowMs }), ...pipeline },
    log: pino({ level: 'silent' }),
    isHttpsRequired: false,
    isLoadShed: false,
    trustedProxies: [],
    signIn,
    registry,
    anonymousBudget: new AnonymousBudget(registry, GENEROUS),
    knownRate: new KnownRate(UNLIMITED),
    ...changes,
  })
}

function settingsOf({ simulator: { addresses, kalshiKey } }: Venues): Record<string, string> {
  // The recorder shares this process with the tests.
  return { ...venueSettings(addresses, kalshiKey), ...processorSettings(addresses), CAPTURE_SHED_ABOVE: '1' }
}

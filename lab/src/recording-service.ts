import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '@bookreel/service/config'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import { BINARY_VENUES } from '@bookreel/service/venue-registry'
import { type EngineKind, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { venueSettings } from '@bookreel/testbed/venue-settings'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import type { Progress } from './experiment.ts'
import { prepareService, ServiceProcess } from './service-process.ts'
import { SimulatorProcess } from './simulator-process.ts'

export const ROLES = ['capture', 'archive', 'hot', 'catalogue'] as const
export type RoleName = (typeof ROLES)[number]

/** Discovery asks for each window by itself, so markets come in groups until every plan was listed. */
const STEADY_S = 6
const STEADY_WHEN_LISTED_S = 3

export interface RecordingServiceOptions {
  readonly engines?: readonly EngineKind[]
  readonly settings?: Readonly<Record<string, string>>
}

/** Engines, simulated venues and all recording roles, each in its own process. */
export class RecordingService implements AsyncDisposable {
  readonly stack: Stack
  readonly simulator: SimulatorProcess
  readonly clickhouse: ClickHouseClient
  readonly folder: string
  readonly #environment: Record<string, string>
  readonly #roles = new Map<RoleName, ServiceProcess>()

  private constructor(
    stack: Stack,
    simulator: SimulatorProcess,
    folder: string,
    settings: Readonly<Record<string, string>>,
  ) {
    this.stack = stack
    this.simulator = simulator
    this.folder = folder
    this.#environment = {
      ...stack.variables,
      ...venueSettings(simulator.addresses),
      STREAM_MAX_BYTES: String(2_000_000_000),
      // What a busy machine can't record would depend on the machine.
      CAPTURE_SHED_ABOVE: '1',
      EMISSION_LOG: this.emissionLog,
      ...settings,
    }
    this.clickhouse = createClient({
      url: stack.variable('CLICKHOUSE_URL'),
      username: stack.variable('CLICKHOUSE_USER'),
      password: stack.variable('CLICKHOUSE_PASSWORD'),
      database: stack.variable('CLICKHOUSE_DATABASE'),
    })
  }

  static async start(
    worldArgs: readonly string[],
    progress: Progress,
    { engines = USUAL_ENGINES, settings = {} }: RecordingServiceOptions = {},
  ): Promise<RecordingService> {
    progress('starting the engines and the simulated venues')
    await using started = new AsyncDisposableStack()
    const stack = started.use(await borrowStack({ engines }))
    const simulator = started.use(await SimulatorProcess.start(worldArgs))
    const folder = await mkdtemp(join(tmpdir(), 'bookreel-lab-'))
    const service = new RecordingService(stack, simulator, folder, settings)
    await prepareService(service.#environment)
    for (const role of ROLES) await service.startRole(role)
    started.move()
    return service
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#environment
  }

  get emissionLog(): string {
    return join(this.folder, 'emissions.log')
  }

  role(name: RoleName): ServiceProcess {
    const role = this.#roles.get(name)
    if (role === undefined) throw new Error(`the role ${name} is not running`)
    return role
  }

  /** Settings of all processes that are started from now on. */
  set(settings: Readonly<Record<string, string>>): void {
    Object.assign(this.#environment, settings)
  }

  async startRole(name: RoleName): Promise<void> {
    this.#roles.set(name, await ServiceProcess.start(name, this.#environment, this.folder))
  }

  /** Ends a role as an operator does; it finishes its work. */
  async endRole(name: RoleName): Promise<void> {
    const role = this.role(name)
    this.#roles.delete(name)
    await role[Symbol.asyncDispose]()
  }

  /** Pids of all processes by name. */
  pids(): Map<string, number> {
    const pids = new Map<string, number>([['simulator', this.simulator.pid]])
    for (const [name, { pid }] of this.#roles) pids.set(name, pid)
    for (const { plan, process: engine } of this.stack.record.engines) {
      if (engine !== undefined) pids.set(plan.id, engine.pid)
    }
    return pids
  }

  /** Waits until discovery is complete and nearly every book is verified; returns the number of markets. */
  async untilTrusted(progress: Progress, limitS = 300): Promise<number> {
    let before = -1
    let steadyS = 0
    for (let second = 0; second < limitS; second++) {
      await sleep(1_000)
      const followed = (await this.role('capture').metric('capture_markets_followed')) ?? 0
      const trusted = (await this.role('capture').metric('capture_markets_trusted')) ?? 0
      progress(`${trusted} of ${followed} markets have a verified book`)
      steadyS = followed === before ? steadyS + 1 : 0
      const enoughS = (await this.#isListed()) ? STEADY_WHEN_LISTED_S : STEADY_S
      if (followed > 0 && steadyS >= enoughS && trusted >= 0.98 * followed) return followed
      before = followed
    }
    throw new Error(
      `the recorder did not have verified books of all markets within ${limitS} s; see its log in ${this.folder}`,
    )
  }

  /** Whether this recorder has a whole listing of every plan of every venue. */
  async #isListed(): Promise<boolean> {
    const listed = await this.role('capture').labelsOf('capture_listings_total')
    const isWhole = (venue: string, category: string): boolean =>
      listed.some((each) => each.venue === venue && each.plan === category && each.outcome === 'complete')
    const config = readConfig(this.#environment)
    return BINARY_VENUES.filter(({ offBecause }) => offBecause?.(config) === undefined).every(({ id }) =>
      CATEGORY_PLANS.every(({ category }) => isWhole(id, category)),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#roles.values()].map((role) => role[Symbol.asyncDispose]()))
    await this.clickhouse.close()
    await this.simulator[Symbol.asyncDispose]()
    await this.stack.stop()
  }
}

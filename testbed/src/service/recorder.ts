import type { Config } from '@bookreel/service/config'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import { archiveRole } from '@bookreel/service/roles/archive-role'
import { captureRole } from '@bookreel/service/roles/capture-role'
import { catalogueRole } from '@bookreel/service/roles/catalogue-role'
import { hotRole } from '@bookreel/service/roles/hot-role'
import { polymarket } from '@bookreel/service/venues/polymarket/venue'
import type { OpenStores } from '@bookreel/service/wiring/open-stores'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import type { WorldOptions } from '@bookreel/simulator/world/world'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { until } from '../until.ts'

/** Several recorders may start at once on a machine with two cores. */
const START_WITHIN_MS = 120_000

const WORLD_SIZE = { hot: 8, medium: 14, cold: 40 }
const ROWS = 4

export interface RecorderOptions {
  readonly size?: WorldOptions['size']
  /** Rows that some market must have before the test starts. */
  readonly rows?: number
}

/** The simulated venues of a test; they are recorded once `Recorder.start` is called. */
export async function openVenues({ size = WORLD_SIZE }: RecorderOptions): Promise<Venues> {
  const worldOptions = { seed: 'testbed', startMs: Date.now(), size }
  return { worldOptions, simulator: await startSimulator({ ...worldOptions, speed: 1, port: 0, faults: [] }) }
}

export interface Venues {
  readonly simulator: Simulator
  /** Another world with these options goes through the same states. */
  readonly worldOptions: WorldOptions
}

/** Runs all recording roles in this process. */
export class Recorder {
  readonly #stop = new AbortController()
  readonly #roles: Promise<unknown>

  private constructor(config: Config) {
    const log = pino({ level: 'silent' })
    this.#roles = Promise.allSettled(
      [captureRole, archiveRole, hotRole, catalogueRole].map((role) =>
        role({ config, log, registry: new Registry() }, this.#stop.signal),
      ),
    )
  }

  static async start(config: Config, stores: OpenStores, { rows = ROWS }: RecorderOptions): Promise<Recorder> {
    const recorder = new Recorder(config)
    const listed = await marketsOfVenue(config)
    const isListed = () => listed.every((id) => stores.catalogue.byId(id, Date.now()))
    await until('every market of the venue listed', isListed, { withinMs: START_WITHIN_MS })
    await until(`${rows} rows of a market recorded`, () => hasRecorded(stores, rows), {
      withinMs: START_WITHIN_MS,
      everyMs: 100,
    })
    return recorder
  }

  /** Recorded data remains. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#roles
  }
}

/** Ids of the markets that the recorder will discover. */
async function marketsOfVenue(config: Config): Promise<string[]> {
  const venue = polymarket({
    gammaUrl: config.POLYMARKET_GAMMA_URL,
    clobUrl: config.POLYMARKET_CLOB_URL,
    socketUrl: config.POLYMARKET_SOCKET_URL,
  })
  const { signal } = new AbortController()
  const found = await Promise.all(CATEGORY_PLANS.map((plan) => venue.discover(plan, Date.now(), signal)))
  return found.flatMap(({ markets }) => markets.map(({ id }) => id))
}

/** Some live crypto market has that many rows in ClickHouse, and is in Redis too. */
async function hasRecorded(stores: OpenStores, rows: number): Promise<boolean> {
  const live = stores.catalogue.list({ category: 'crypto', statuses: ['live'] }, Date.now())
  const market = live.at(-1)
  if (market === undefined) return false
  const days = await stores.marketDays.days(market.id)
  const stored = days.reduce((sum, { rowCount }) => sum + rowCount, 0)
  return stored >= rows && (await stores.newestRows.read(market.id)).length > 0
}

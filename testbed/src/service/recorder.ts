import type { Config } from '@bookreel/service/config'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import { archiveRole } from '@bookreel/service/roles/archive-role'
import { captureRole } from '@bookreel/service/roles/capture-role'
import { catalogueRole } from '@bookreel/service/roles/catalogue-role'
import { hotRole } from '@bookreel/service/roles/hot-role'
import { BINARY_VENUES } from '@bookreel/service/venue-registry'
import type { OpenStores } from '@bookreel/service/wiring/open-stores'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import type { WorldOptions } from '@bookreel/simulator/world/world'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { until } from '../until.ts'

/** Several recorders may start at once on a machine with two cores. */
const START_WITHIN_MS = 240_000

const WORLD_SIZE = { hot: 8, medium: 14, cold: 40 }
const ROWS = 4

export interface RecorderOptions {
  readonly size?: WorldOptions['size']
  /** Markets of the second venue; left out, it is not recorded. */
  readonly kalshi?: WorldOptions['size']
  /** Rows that some market must have before the test starts. */
  readonly rows?: number
}

/** The simulated venues of a test; they are recorded once `Recorder.start` is called. */
export async function openVenues({ size = WORLD_SIZE, kalshi }: RecorderOptions): Promise<Venues> {
  const worldOptions = { seed: 'testbed', startMs: Date.now(), size }
  const options = { ...worldOptions, ...(kalshi && { kalshi }), speed: 1, port: 0, faults: [] }
  return { worldOptions, simulator: await startSimulator(options) }
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
    const listed = await marketsOfVenues(config)
    const isListed = () => listed.every((id) => stores.catalogue.byId(id, Date.now()))
    await until('every market of the venues listed', isListed, { withinMs: START_WITHIN_MS })
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
async function marketsOfVenues(config: Config): Promise<string[]> {
  const { signal } = new AbortController()
  const venues = BINARY_VENUES.filter(({ offBecause }) => offBecause?.(config) === undefined)
  const found = await Promise.all(
    venues.flatMap((definition) => {
      const venue = definition.open(config)
      return CATEGORY_PLANS.map((plan) => venue.discover(plan, Date.now(), signal))
    }),
  )
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

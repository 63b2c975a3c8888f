import { TIERS, type Tier } from '@bookreel/service/domain/tier'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { Markets } from '@bookreel/service/stores/markets/markets'
import { ApiService, type LabAccount } from '../api-service.ts'
import type { Progress } from '../experiment.ts'
import { fillHour } from '../fill-hour.ts'
import type { ListeningProcess } from '../listening-process.ts'
import { MADE_UP_INTERVAL_MS, madeUpMarket } from '../made-up-market.ts'
import { allGenerators } from './all-generators.ts'
import type { HonestPlace } from './honest-customers.ts'
import { attackAddresses, type Scene } from './scene.ts'

export interface AttackBenchOptions {
  /** Simulated markets that are recorded during the run. */
  readonly markets: number
  /** Slots of the finished hour that have rows. */
  readonly slots: number
  /** Address that the API listens on. */
  readonly host: string
}

const PAST_MARKETS = 20
const HONEST = 4
const AMPLE_CREDITS = 50_000_000
const HOUR_MS = 3_600_000
/** Markets that end soon are not for customers who follow a market during the whole run. */
const LIVE_MARKETS = 10
const PRELOAD = new URL('./loop-delay-preload.ts', import.meta.url).href

type Facts = Pick<AttackBench, 'service' | 'honestAccounts'> & {
  readonly keys: Scene['keys']
  readonly marketIds: readonly string[]
  readonly pastIds: readonly string[]
  readonly hourMs: number
  readonly slots: number
}

/** The whole service with a recorder, an identity provider, a finished hour to download, and accounts of each tier. */
export class AttackBench implements AsyncDisposable {
  readonly service: ApiService
  readonly honestAccounts: readonly LabAccount[]
  readonly #facts: Facts

  private constructor(facts: Facts) {
    this.service = facts.service
    this.honestAccounts = facts.honestAccounts
    this.#facts = facts
  }

  static async start({ markets, slots, host }: AttackBenchOptions, progress: Progress): Promise<AttackBench> {
    await using parts = new AsyncDisposableStack()
    const world = ['--markets', String(markets)]
    const settings = { HTTP_HOST: host }
    const service = parts.use(await ApiService.start({ world, withSignIn: true, preload: PRELOAD, settings }, progress))
    progress('storing a finished hour')
    const nowMs = Date.now()
    const hourMs = (Math.floor(nowMs / HOUR_MS) - 2) * HOUR_MS
    const past = Array.from({ length: PAST_MARKETS }, (_, number) => madeUpMarket('attack', number, nowMs))
    await new Markets(service.access.database).saveListings(past.map((market) => ({ market, seenAtMs: hourMs })))
    await fillHour(rowInserter(service.recording.clickhouse), past, { slots, hourMs }, progress)
    progress('opening accounts')
    const honestAccounts = await service.openAccounts(HONEST, 'enterprise', AMPLE_CREDITS)
    const keys: Record<string, Record<Tier, string>> = {}
    for (const { name, isKeyed } of allGenerators) if (isKeyed) keys[name] = await keysOfEachTier(service)
    const live = await service.liveMarkets(honestAccounts[0]?.key ?? '')
    const pastIds = past.map(({ id }) => id)
    // Nobody records the markets of the finished hour.
    const marketIds = live.map(({ conditionId }) => conditionId).filter((id) => !pastIds.includes(id))
    parts.move()
    return new AttackBench({ service, honestAccounts, keys, marketIds, pastIds, hourMs, slots })
  }

  /** The API that the bench started. */
  get api(): ListeningProcess {
    const [api] = this.service.processes
    if (api === undefined) throw new Error('the bench has no API')
    return api
  }

  honestPlace({ port }: ListeningProcess): HonestPlace {
    const { pastIds, hourMs, marketIds } = this.#facts
    return { port, accounts: this.honestAccounts, marketIds: marketIds.slice(0, LIVE_MARKETS), pastIds, hourMs }
  }

  scene(place: Pick<Scene, 'port' | 'seconds' | 'load' | 'patience'>): Scene {
    const { keys, marketIds, pastIds, hourMs, slots } = this.#facts
    const pastRange = { fromMs: hourMs, toMs: hourMs + slots * MADE_UP_INTERVAL_MS }
    return { host: '127.0.0.1', addresses: attackAddresses(), keys, marketIds, pastIds, hourMs, pastRange, ...place }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]()
  }
}

async function keysOfEachTier(service: ApiService): Promise<Record<Tier, string>> {
  const keys: Partial<Record<Tier, string>> = {}
  for (const tier of TIERS) keys[tier] = (await service.openAccount(tier, AMPLE_CREDITS)).key
  return keys as Record<Tier, string>
}

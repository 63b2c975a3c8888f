import type { Stack } from '@bookreel/stack/start-stack'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { until } from '@bookreel/testbed/until'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { MarketChanges } from '../../src/bus/market-changes.ts'
import { marketUpdateFeed } from '../../src/bus/market-update-feed.ts'
import { type MarketUpdate, publishMarketUpdate } from '../../src/bus/market-updates.ts'
import { CATALOGUE_CONSUMER } from '../../src/bus/subjects.ts'
import type { Market } from '../../src/domain/market.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { LiveCatalogue } from '../../src/stores/markets/live-catalogue.ts'
import { Markets } from '../../src/stores/markets/markets.ts'
import { Plans } from '../../src/stores/markets/postgres-plans.ts'
import { runCatalogue } from '../../src/workers/catalogue.ts'
import { type Bus, openBus } from '../bus/open-bus.ts'

export const ending = (name: string, inMinutes: number): Market =>
  madeMarket(name, { endsAtMs: WORLD_NOW_MS + inMinutes * 60_000 })

export const listing = (market: Market) => ({ kind: 'listed', venue: market.venue, market }) as const

export const resolution = (market: Market) =>
  ({
    kind: 'resolved',
    venue: market.venue,
    resolution: { marketId: market.id, winner: 0, resolvedAtMs: WORLD_NOW_MS },
  }) as const

/** A catalogue that follows a real bus, and a worker that stores updates while it is started. */
export class FollowedCatalogue implements AsyncDisposable {
  readonly stack: Stack
  readonly bus: Bus
  readonly markets: Markets
  readonly catalogue: LiveCatalogue
  readonly troubles: unknown[] = []
  readonly missed: string[] = []
  /** Times that all markets were listed. */
  lists = 0
  /** Called when all markets were read from PostgreSQL, before the catalogue has them. */
  afterList: () => Promise<void> = async () => {}
  #nowMs = WORLD_NOW_MS
  readonly #database: Database
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  private constructor(stack: Stack, bus: Bus, database: Database) {
    this.stack = stack
    this.bus = bus
    this.#database = database
    this.markets = new Markets(database)
    const unresolved: Markets['unresolved'] = async (...asked) => {
      const listed = await this.markets.unresolved(...asked)
      this.lists++
      await this.afterList()
      return listed
    }
    const markets = { unresolved, byIds: (ids: readonly string[], nowMs: number) => this.markets.byIds(ids, nowMs) }
    this.catalogue = new LiveCatalogue({ markets, plans: () => new Plans(database).list(), nowMs: () => this.nowMs() })
  }

  static async open(): Promise<FollowedCatalogue> {
    const stack = await borrowStack({ engines: ['postgres', 'nats'] })
    const database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
    await migratePostgres(database)
    return new FollowedCatalogue(stack, await openBus(stack, {}), database)
  }

  /** Each reading is a millisecond after the one before, so that readings have an order. */
  nowMs(): number {
    return this.#nowMs++
  }

  run(reconcileEveryMs?: number): void {
    const changes = new MarketChanges(this.bus.connection)
    const deps = {
      changes: () => changes,
      onTrouble: (error: unknown) => void this.troubles.push(error),
      onMissed: (ids: readonly string[]) => void this.missed.push(...ids),
      ...(reconcileEveryMs !== undefined && { reconcileEveryMs }),
    }
    this.#running = this.catalogue.run(deps, this.#stop.signal)
  }

  publish(update: MarketUpdate): Promise<void> {
    return publishMarketUpdate(this.bus.jetstream, update)
  }

  /** Stores updates, as the role `catalogue` does, until it is called again. */
  store(): () => Promise<void> {
    const stop = new AbortController()
    const { bus, markets } = this
    const messages = async function* () {
      for await (const delivery of marketUpdateFeed(bus.jetstream, CATALOGUE_CONSUMER, stop.signal)) {
        const { update, publishedAtMs } = delivery
        yield {
          listings: update.kind === 'listed' ? [{ market: update.market, seenAtMs: publishedAtMs }] : [],
          resolutions: update.kind === 'resolved' ? [update.resolution] : [],
          acknowledge: () => delivery.acknowledge(),
          refuse: async (reason: unknown) => delivery.discard(String(reason)),
        }
      }
    }
    const meter = { stored: () => {}, refused: () => {}, failed: () => {} }
    const storing = runCatalogue({ messages: messages(), markets, meter, retryAfterMs: 50 }, stop.signal)
    return async () => {
      stop.abort()
      await storing
    }
  }

  /** Stores markets of which no update tells; every update is newer, whatever the clock of NATS is. */
  save(...markets: readonly Market[]): Promise<void> {
    return this.markets.saveListings(markets.map((market) => ({ market, seenAtMs: 0 })))
  }

  untilShown(...slugs: readonly string[]): Promise<unknown> {
    return until(`the catalogue has ${slugs.join()}`, () => this.slugs().join() === slugs.join())
  }

  /** Until a later check has found the catalogue complete. */
  untilChecked(): Promise<unknown> {
    const sinceMs = this.nowMs()
    return until('checked again', () => (this.catalogue.refreshedAtMs ?? 0) > sinceMs)
  }

  slugs(): string[] {
    return this.catalogue.list({}, this.nowMs()).map(({ slug }) => slug)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.bus[Symbol.asyncDispose]()
    await this.#database.destroy()
    await this.stack.stop()
  }
}

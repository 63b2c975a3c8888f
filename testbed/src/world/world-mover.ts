import { raiseFence } from '@bookreel/service/bus/fence'
import { publishMarketUpdate } from '@bookreel/service/bus/market-updates'
import { PUBLISH_LIMITS } from '@bookreel/service/bus/publish'
import { ShardPublisher } from '@bookreel/service/capture/shard-publisher'
import type { TickRows } from '@bookreel/service/capture/tick-rows'
import type { Config } from '@bookreel/service/config'
import type { Resolution } from '@bookreel/service/domain/market'
import { marketFactStore } from '@bookreel/service/stores/markets/market-facts'
import { openBus, openClickHouse } from '@bookreel/service/wiring/engines'
import type { OpenGateway } from '@bookreel/service/wiring/open-gateway'
import type { OpenStores } from '@bookreel/service/wiring/open-stores'
import type { ClickHouseClient } from '@clickhouse/client'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { until } from '../until.ts'
import { RunningWorld } from './record-world.ts'
import { Recording, type SeenListing, type VirtualClock } from './recording.ts'
import { type StoringRoles, startStoringRoles } from './storing-roles.ts'
import type { WorldFacts } from './world-facts.ts'
import { TICK_MS, WORLD_NOW_MS } from './world-times.ts'

export interface WorldMoverDeps {
  readonly config: Config
  readonly stores: OpenStores
  /** That of the service; only the mover moves it. */
  readonly clock: VirtualClock
  /** The gateways that must have applied what has happened. */
  readonly gateways: ReadonlySet<OpenGateway>
  readonly facts: WorldFacts
}

/** Every group has one shard in a moving world. */
export const MOVING_SETTINGS = { POLYMARKET_SHARDS: '1', KALSHI_SHARDS: '1', HYPERLIQUID_SHARDS: '1' }
const SHARDS = ['polymarket.0', 'kalshi.0', 'hyperliquid.0', 'prices.0']
const SHORTEST_WINDOW_MS = 300_000
/** So that the buffer of no reader is ever full. */
const PUBLISHED_AT_ONCE_MS = 2_000
const OFTEN = { everyMs: 2 }
const LIMITS = { ...PUBLISH_LIMITS, answerMs: 60_000 }

interface Published {
  readonly shard: string
  readonly tickMs: number
  readonly rows: TickRows
}

/** Goes on with the frozen world as a recorder does that was restarted without a gap: with first books at its time. */
export class WorldMover {
  readonly recording: Recording
  readonly world: RunningWorld
  readonly #deps: WorldMoverDeps
  readonly #bus: NatsConnection
  readonly #clickhouse: ClickHouseClient
  readonly #roles: StoringRoles
  readonly #publishers = new Map<string, ShardPublisher>()
  readonly #stop = new AbortController()
  /** The number of the last batch of each shard. */
  readonly #last = new Map<string, number>()
  readonly #ready: Published[] = []
  #isMoving = false
  #batches = 0
  #hotRows = 0
  #listed = 0
  #resolved = 0

  private constructor(deps: WorldMoverDeps, bus: NatsConnection, clickhouse: ClickHouseClient, roles: StoringRoles) {
    this.#deps = deps
    this.#bus = bus
    this.#clickhouse = clickhouse
    this.#roles = roles
    this.recording = new Recording(WORLD_NOW_MS, (shard, tickMs, rows) => this.#ready.push({ shard, tickMs, rows }))
    this.world = new RunningWorld(this.recording)
    this.world.advanceTo(WORLD_NOW_MS)
    // The frozen world has these rows.
    this.#ready.length = 0
    this.recording.ticks.length = 0
    this.#listed = this.recording.listings.length
  }

  static async start(deps: WorldMoverDeps): Promise<WorldMover> {
    const bus = await openBus(deps.config, 'moving world')
    const clickhouse = openClickHouse(deps.config)
    const roles = await startStoringRoles({ bus, clickhouse, redis: deps.stores.redis, shards: SHARDS })
    const mover = new WorldMover(deps, bus, clickhouse, roles)
    for (const shard of SHARDS) await mover.#openShard(shard)
    return mover
  }

  get nowMs(): number {
    return this.#deps.clock.nowMs
  }

  /** Resolves when everything that happens meanwhile is stored, and every gateway has applied it. */
  async advance(ms: number): Promise<void> {
    if (this.#isMoving) throw new Error('the world is moving already')
    if (ms % TICK_MS !== 0) throw new Error(`the world moves by whole ticks of ${TICK_MS} ms`)
    const untilMs = this.nowMs + ms
    this.#isMoving = true
    while (this.nowMs < untilMs) await this.#step(stopAt(this.nowMs, untilMs))
    const areStored = () => this.#roles.archivedCount() === this.#batches && this.#roles.hotCount() === this.#hotRows
    await until('archive and hot have stored the rows', areStored, OFTEN)
    await this.#deps.stores.catalogue.refresh(untilMs)
    this.#isMoving = false
  }

  async stop(): Promise<void> {
    await this.#roles.stop()
    this.#stop.abort()
    await this.#clickhouse.close()
    await this.#bus.close()
  }

  async #openShard(shard: string): Promise<void> {
    const client = jetstream(this.#bus)
    const publisher = new ShardPublisher({
      jetstream: client,
      shard,
      epoch: 1,
      fence: await raiseFence(client, shard, 'moving world'),
      nowMs: () => this.nowMs,
      limits: LIMITS,
      maySend: () => true,
      onAcknowledged: ({ n }) => {
        this.#last.set(shard, n)
        this.#batches++
      },
      onGivenUp: (cause) => {
        throw new Error(`a batch of the moving world was given up: ${cause}`)
      },
      onPricesLost: () => {},
      onPerpTradesLost: () => {},
    })
    this.#publishers.set(shard, publisher)
    void publisher.run(this.#stop.signal)
  }

  async #step(toMs: number): Promise<void> {
    const { clock, gateways } = this.#deps
    const { listings, resolutions } = this.recording
    this.world.advanceTo(toMs)
    await this.#list(listings.slice(this.#listed))
    this.#listed = listings.length
    clock.nowMs = toMs
    for (const { gateway } of gateways) gateway.updateMarkets()
    await this.#publish(this.#ready.splice(0))
    await this.#resolve(resolutions.slice(this.#resolved))
    this.#resolved = resolutions.length
  }

  async #publish(published: readonly Published[]): Promise<void> {
    const watched = [...this.#deps.gateways].map(({ feed }) => ({
      feed,
      shards: SHARDS.filter((shard) => feed.isWanted(shard)),
    }))
    await Promise.all(watched.filter(({ shards }) => shards.length > 0).map(({ feed }) => feed.subscribed()))
    const before = new Map(this.#last)
    for (const { shard, tickMs, rows } of published) {
      this.#publishers.get(shard)?.publish(tickMs, rows)
      this.#hotRows += rows.snapshots.length + rows.perps.length
    }
    const publishers = [...this.#publishers.values()]
    await until('the bus has all batches', () => publishers.every(({ queuedBytes }) => queuedBytes === 0), OFTEN)
    const areTaken = () =>
      watched.every(({ feed, shards }) =>
        shards.every((shard) => {
          const last = this.#last.get(shard)
          return last === before.get(shard) || feed.lastOf(shard) === last
        }),
      )
    await until('every gateway has applied the batches', areTaken, OFTEN)
  }

  async #list(listings: readonly SeenListing[]): Promise<void> {
    if (listings.length === 0) return
    const { stores, clock } = this.#deps
    await stores.markets.saveListings(listings)
    await marketFactStore(this.#clickhouse).put(
      listings.map(({ market, seenAtMs }) => ({ market, publishedAtMs: seenAtMs })),
    )
    await stores.catalogue.refresh(clock.nowMs)
  }

  async #resolve(resolutions: readonly Resolution[]): Promise<void> {
    const { stores, gateways, facts } = this.#deps
    await stores.markets.saveResolutions(resolutions)
    for (const resolution of resolutions) {
      const listing = [...facts.listings, ...this.recording.listings].find(
        ({ market }) => market.id === resolution.marketId,
      )
      const venue = listing?.market.venue ?? 'polymarket'
      await publishMarketUpdate(jetstream(this.#bus), { kind: 'resolved', venue, resolution })
    }
    if (resolutions.length > 0) await Promise.all([...gateways].map(({ feed }) => feed.subscribed()))
  }
}

/** A window's last tick and its end are apart, so that readers get its last rows before they hear that it has ended. */
function stopAt(nowMs: number, untilMs: number): number {
  const endMs = Math.floor(nowMs / SHORTEST_WINDOW_MS + 1) * SHORTEST_WINDOW_MS
  const beforeEndMs = nowMs < endMs - TICK_MS ? endMs - TICK_MS : endMs
  return Math.min(untilMs, beforeEndMs, nowMs + PUBLISHED_AT_ONCE_MS)
}

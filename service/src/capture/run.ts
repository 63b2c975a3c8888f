import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { MarketIntervals } from '../bus/market-intervals.ts'
import { publishMarketUpdate } from '../bus/market-updates.ts'
import type { PublishLimits } from '../bus/publish.ts'
import type { ShardLeases } from '../bus/shard-leases.ts'
import type { Market, Resolution } from '../domain/market.ts'
import { type CategoryPlan, PERP_INTERVAL_MS } from '../domain/plan.ts'
import { shardOf } from '../domain/shards.ts'
import type { FrameDumps } from '../venues/frame-dumps.ts'
import type { BinaryVenue } from '../venues/venue.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { EmissionLog } from './emission-log.ts'
import { Follower } from './follower.ts'
import { keepIntervals } from './keep-intervals.ts'
import { Recorder, type SampledPerp } from './recorder.ts'
import { Resync } from './resync.ts'
import type { SpotQuote } from './sample.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { ShardKeeper } from './shard-keeper.ts'
import { StaleBookCheck } from './stale-book-check.ts'
import { Ticks } from './ticks.ts'
import { UnresolvedMarkets } from './unresolved-markets.ts'
import { VenueSockets } from './venue-sockets.ts'

export interface CaptureDeps {
  venue: BinaryVenue
  plans: readonly CategoryPlan[]
  spotOf: (market: Market) => SpotQuote | undefined
  /** Perps that `FollowPerps` keeps current in this process; they are sampled with the binary markets. */
  perps: readonly SampledPerp[]
  clock: SamplingClock
  jetstream: JetStreamClient
  leases: ShardLeases
  shardCount: number
  /** This process's name in leases and fences. */
  owner: string
  emissionLog: EmissionLog | undefined
  /** Writes the frames around a mismatch or an unknown event to files; left out, none are written. */
  frameDumps?: FrameDumps | undefined
  /** How much is queued while NATS is unavailable; default: `PUBLISH_LIMITS`. */
  publishLimits?: Partial<PublishLimits>
  log: Logger
  metrics: CaptureMetrics
}

const WATCH_EVERY_MS = 1_000
const STALE_CHECKS_AT_ONCE = 250
/** After this many requests without a book, the market's socket is reconnected. */
const TRIES_BEFORE_RESTART = 4
/** Discovery may still list a market for some minutes after its resolution. */
const RESOLVED_REMEMBERED = 5_000
/** A market is removed after this many discoveries without it: a single page can miss one. */
const MISSED_ROUNDS = 3
/** Discovery gets this long to list an inherited market before its resolution is requested. */
const REDISCOVERY_MS = 60_000

/** Venue → books → rows and gaps → bus, for all binary markets of one venue. */
export async function runCapture(deps: CaptureDeps, signal: AbortSignal): Promise<void> {
  const venue = keepIntervals(deps.venue, await MarketIntervals.open(deps.jetstream))
  const capture = new Capture({ ...deps, venue })
  await capture.run(signal)
}

class Capture {
  readonly #deps: CaptureDeps
  readonly #follower: Follower
  readonly #recorder: Recorder
  readonly #keeper: ShardKeeper
  readonly #sockets: VenueSockets
  readonly #resync = new Resync()
  readonly #staleBookCheck = new StaleBookCheck()
  readonly #unresolved = new UnresolvedMarkets()
  readonly #missedRounds = new Map<string, number>()
  readonly #resolvedIds = new Set<string>()
  /** Sampling intervals of all plans, and of markets that keep an older one. */
  readonly #intervalsMs: Set<number>
  readonly #ticks: Ticks

  constructor(deps: CaptureDeps) {
    this.#deps = deps
    const { venue, clock, metrics, shardCount, plans } = deps
    this.#intervalsMs = new Set([PERP_INTERVAL_MS, ...plans.map(({ captureIntervalMs }) => captureIntervalMs)])
    this.#ticks = new Ticks(clock, this.#intervalsMs, (tickMs, intervalsMs) => this.#tick(tickMs, intervalsMs))
    const nowMs = (): number => clock.nowMs()
    this.#follower = new Follower({
      venue,
      nowMs,
      onTrade: (trade) => this.#recorder.trade(trade),
      onResolved: (resolution) => this.#resolved(resolution),
      onProblem: ({ kind, reason }) => {
        metrics.problems.inc({ venue: venue.id, kind })
        deps.log.warn({ venue: venue.id, kind, reason }, 'frame not understood')
        if (kind !== 'unknown_key') this.#sockets.dump(kind)
      },
      onDoubt: (market, { cause }) => this.#sockets.dump(cause, market),
    })
    this.#recorder = new Recorder({
      nowMs,
      shardOf: (marketId) => shardOf(marketId, shardCount),
      spotOf: deps.spotOf,
      publish: (shard, tickMs, rows) => {
        for (const { flags } of rows.snapshots) metrics.rows.inc({ verified: (flags & 3) === 3 ? 'yes' : 'no' })
        for (const { cause } of rows.gaps) metrics.gaps.inc({ cause })
        this.#keeper.publish(shard, tickMs, rows)
      },
    })
    for (const perp of deps.perps) this.#recorder.addPerp(perp)
    this.#keeper = new ShardKeeper({ ...deps, recorder: this.#recorder })
    this.#sockets = new VenueSockets(
      venue,
      {
        frame: (text, receivedAtMs) => this.#frame(text, receivedAtMs),
        opened: (marketIds) => {
          for (const id of marketIds) this.#resync.restart(id, nowMs())
        },
        lost: (marketIds, doubt, lastDataAtMs) => {
          metrics.lost.inc({ cause: doubt.cause })
          deps.log.warn({ ...doubt, markets: marketIds.length }, 'socket lost')
          this.#follower.lost(marketIds, doubt, lastDataAtMs)
        },
      },
      nowMs,
      deps.frameDumps,
    )
  }

  async run(signal: AbortSignal): Promise<void> {
    const { plans } = this.#deps
    await Promise.all([
      this.#keeper.run(signal),
      this.#sockets.run(signal),
      ...plans.map((plan) => this.#discover(plan, signal)),
      this.#watch(signal),
      this.#fetchMissedResolutions(signal),
      this.#ticks.run(signal),
    ])
  }

  #tick(tickMs: number, intervalsMs: ReadonlySet<number>): void {
    const { clock, metrics } = this.#deps
    metrics.tickOffsetSeconds.observe((clock.nowMs() - tickMs) / 1000)
    this.#recorder.tick(tickMs, intervalsMs)
  }

  #frame(text: string, receivedAtMs: number): boolean {
    // In a burst the event loop comes to its timers only after the last frame.
    this.#ticks.takeIfDue()
    this.#deps.metrics.frames.inc({ venue: this.#deps.venue.id })
    return this.#follower.frame(text, receivedAtMs)
  }

  /** Lists the markets of a plan once per refresh interval; a failed listing is retried in the next round. */
  async #discover(plan: CategoryPlan, signal: AbortSignal): Promise<void> {
    const { venue, clock, log } = this.#deps
    while (!signal.aborted) {
      try {
        this.#mergeListing(plan, await venue.discover(plan, clock.nowMs(), signal))
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, venue: venue.id, plan: plan.id }, 'discovery failed')
      }
      await sleep(plan.refreshIntervalMs, undefined, { signal }).catch(() => {})
    }
  }

  #mergeListing(plan: CategoryPlan, markets: readonly Market[]): void {
    const found = new Set(markets.map(({ id }) => id))
    for (const market of markets) {
      this.#missedRounds.delete(market.id)
      this.#unresolved.forget(market.id)
      if (!this.#follower.markets.has(market.id) && !this.#resolvedIds.has(market.id)) this.#add(market)
    }
    for (const { market } of [...this.#follower.markets.values()]) {
      if (market.planId !== plan.id || found.has(market.id)) continue
      const missed = (this.#missedRounds.get(market.id) ?? 0) + 1
      this.#missedRounds.set(market.id, missed)
      this.#unresolved.note(market.id, this.#deps.clock.nowMs())
      if (missed >= MISSED_ROUNDS) this.#remove(market)
    }
  }

  #add(market: Market): void {
    this.#intervalsMs.add(market.captureIntervalMs)
    this.#recorder.add(this.#follower.add(market))
    this.#sockets.add(market)
    this.#publishUpdate({ kind: 'listed', venue: market.venue, market })
  }

  #remove(market: Market): void {
    this.#sockets.remove(market)
    this.#recorder.remove(market.id)
    this.#follower.remove(market.id)
    this.#resync.forget(market.id)
    this.#staleBookCheck.forget(market.id)
    this.#missedRounds.delete(market.id)
  }

  #resolved(resolution: Resolution): void {
    const { marketId } = resolution
    if (this.#resolvedIds.has(marketId)) return
    const market = this.#follower.markets.get(marketId)?.market
    this.#publishUpdate({ kind: 'resolved', venue: this.#deps.venue.id, resolution })
    if (market !== undefined) this.#remove(market)
    this.#unresolved.forget(marketId)
    this.#resolvedIds.add(marketId)
    const [oldest] = this.#resolvedIds
    if (this.#resolvedIds.size > RESOLVED_REMEMBERED && oldest !== undefined) this.#resolvedIds.delete(oldest)
  }

  #publishUpdate(update: Parameters<typeof publishMarketUpdate>[1]): void {
    const { jetstream, log } = this.#deps
    publishMarketUpdate(jetstream, update).catch((error: unknown) =>
      log.warn({ err: error, kind: update.kind }, 'publishing market update failed'),
    )
  }

  /** A market may be resolved while its socket or the recorder is down; its resolution is then fetched over REST. */
  async #fetchMissedResolutions(signal: AbortSignal): Promise<void> {
    const { venue, clock, log } = this.#deps
    await this.#noteInherited().catch((error: unknown) =>
      log.warn({ err: error, shards: this.#deps.shardCount }, 'reading inherited markets failed'),
    )
    while (!signal.aborted) {
      const due = this.#unresolved.due(clock.nowMs())
      try {
        if (due.length > 0) for (const each of await venue.fetchResolutions(due, signal)) this.#resolved(each)
      } catch (error) {
        if (!signal.aborted)
          log.warn({ err: error, venue: venue.id, markets: due.length }, 'fetching resolutions failed')
      }
      await sleep(WATCH_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Markets in the saved shard states count as unresolved until discovery lists them again. */
  async #noteInherited(): Promise<void> {
    const { leases, shardCount, perps, clock } = this.#deps
    const perpIds = new Set(perps.map(({ id }) => id))
    for (let shard = 0; shard < shardCount; shard++) {
      const { marketIds = [], waiting = {} } = (await leases.stateOf(shard)) ?? {}
      for (const id of [...marketIds, ...Object.keys(waiting)]) {
        if (perpIds.has(id) || this.#follower.markets.has(id)) continue
        this.#unresolved.note(id, clock.nowMs(), clock.nowMs() + REDISCOVERY_MS)
      }
    }
  }

  /** Once a second: requests books in doubt again, checks silent markets for stale books, sets the gauges. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, metrics, log } = this.#deps
    while (!signal.aborted) {
      const markets = [...this.#follower.markets.values()]
      metrics.followed.set(markets.length)
      metrics.trusted.set(markets.filter(({ book }) => book.proved !== undefined).length)
      metrics.queuedBytes.set(this.#keeper.queuedBytes)
      metrics.wallStepSeconds.set((clock.wallStepMs() ?? 0) / 1000)
      try {
        this.#requestBooks()
        await this.#checkStaleBooks(signal)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, venue: this.#deps.venue.id }, 'fetching books failed')
      }
      await sleep(WATCH_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Always over the socket, which keeps the order of events: a REST book may be ahead of the socket or behind it. */
  #requestBooks(): void {
    const { clock, metrics } = this.#deps
    for (const { followed, attempt } of this.#resync.due(this.#follower.markets.values(), clock.nowMs())) {
      metrics.resyncs.inc()
      const isStuck = attempt === TRIES_BEFORE_RESTART && followed.book.doubt !== undefined
      if (isStuck) this.#sockets.restart(followed.market, 'the venue did not send a requested book')
      else this.#sockets.refresh(followed.market)
    }
  }

  async #checkStaleBooks(signal: AbortSignal): Promise<void> {
    const { venue, clock } = this.#deps
    const due = this.#staleBookCheck.due(this.#follower.markets.values(), clock.nowMs(), STALE_CHECKS_AT_ONCE)
    if (due.length === 0) return
    const books = await venue.fetchBooks(
      due.map(({ market }) => market.tokenIds[0]),
      signal,
    )
    for (const book of books) {
      const followed = this.#follower.markets.get(book.marketId)
      if (followed !== undefined) this.#staleBookCheck.compare(followed, book, clock.nowMs())
    }
  }
}

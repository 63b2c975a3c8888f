import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { MarketIntervals } from '../bus/market-intervals.ts'
import { listedInStream, publishMarketUpdate } from '../bus/market-updates.ts'
import { OpenMarkets } from '../bus/open-markets.ts'
import type { PublishLimits } from '../bus/publish.ts'
import type { RecorderBoard } from '../bus/recorder-board.ts'
import type { ShardLeases } from '../bus/shard-leases.ts'
import type { StoredBatches } from '../bus/stored-batches.ts'
import { endedSubject } from '../bus/subjects.ts'
import { whileLeading } from '../bus/while-leading.ts'
import type { Doubt } from '../domain/doubt.ts'
import type { Market } from '../domain/market.ts'
import type { CategoryPlan } from '../domain/plan.ts'
import type { RawSink } from '../domain/raw-record.ts'
import { isRowGap } from '../domain/rows/gap.ts'
import { shardOf, shardsOf } from '../domain/shards.ts'
import type { FrameDumps } from '../venues/frame-dumps.ts'
import type { BinaryVenue } from '../venues/venue.ts'
import { AnnouncedResults } from './announced-results.ts'
import { BookWatch } from './book-watch.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { EmissionLog } from './emission-log.ts'
import { inheritedMarketIds } from './inherited-markets.ts'
import { keepIntervals } from './keep-intervals.ts'
import type { NoteExamples } from './listing-figures.ts'
import { LoadShedding, type LoadSheddingDeps } from './load-shedding.ts'
import { MarketRoster } from './market-roster.ts'
import type { PriceBoard } from './price-board.ts'
import { ProblemLog } from './problem-log.ts'
import { Recording } from './recording.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { SettlementWatch } from './settlement-watch.ts'
import { ShardKeeper } from './shard-keeper.ts'
import { Ticks } from './ticks.ts'
import { VenueSockets } from './venue-sockets.ts'

export interface CaptureDeps {
  venue: BinaryVenue
  plans: readonly CategoryPlan[]
  prices: PriceBoard
  clock: SamplingClock
  connection: NatsConnection
  jetstream: JetStreamClient
  leases: ShardLeases
  board: RecorderBoard
  stored: StoredBatches
  shardCount: number
  /** This process's name in leases and fences. */
  owner: string
  emissionLog: EmissionLog | undefined
  /** Writes the frames around a mismatch or an unknown event to files; left out, none are written. */
  frameDumps?: FrameDumps | undefined
  /** Keeps what the sockets received and which market used which one; left out, nothing is kept. */
  raw?: RawSink | undefined
  /** How much is queued while NATS is unavailable; default: `PUBLISH_LIMITS`. */
  publishLimits?: Partial<PublishLimits>
  log: Logger
  metrics: CaptureMetrics
  /** When this process sheds the least important plans; left out, never. */
  shedding?: Pick<LoadSheddingDeps, 'load' | 'shedAbove' | 'lookEveryMs'> | undefined
  /** Receives examples of skipped markets, for the operator. */
  noteExamples?: NoteExamples | undefined
}

const GAUGES_EVERY_MS = 1_000
/** No socket has this number. */
const NO_CONNECTION = -1
const OVERLOADED: Doubt = {
  cause: 'capturer_overloaded',
  detail: 'the recorder has more work than time and records other plans first',
}

/** A market whose book can't be proved must not keep its whole shard from being taken. */
const READY_AFTER_MS = 20_000

/** Venue → books → rows and gaps → bus, for the binary markets of one venue in the shards of this process. */
export async function runCapture(deps: CaptureDeps, signal: AbortSignal): Promise<void> {
  const venue = keepIntervals(deps.venue, await MarketIntervals.open(deps.jetstream))
  const capture = new Capture({ ...deps, venue })
  await capture.run(signal)
}

class Capture {
  readonly #deps: CaptureDeps
  readonly #recording: Recording
  readonly #keeper: ShardKeeper
  readonly #sockets: VenueSockets
  readonly #open: OpenMarkets
  readonly #results: AnnouncedResults
  #discovering: MarketRoster | undefined
  readonly #bookWatch: BookWatch
  readonly #settlements: SettlementWatch
  /** Sampling intervals of all plans, and of markets that keep an older one. */
  readonly #intervalsMs: Set<number>
  readonly #ticks: Ticks
  readonly #shedding: LoadShedding | undefined
  readonly #problems: ProblemLog
  /** Shards whose markets are followed, and since when. */
  readonly #followedSinceMs = new Map<string, number>()

  constructor(deps: CaptureDeps) {
    this.#deps = deps
    const { venue, clock, metrics, shardCount, plans } = deps
    const shards = shardsOf(venue.id, shardCount)
    this.#intervalsMs = new Set(plans.map(({ captureIntervalMs }) => captureIntervalMs))
    this.#ticks = new Ticks(clock, this.#intervalsMs, (tickMs, intervalsMs) => this.#tick(tickMs, intervalsMs))
    const onShed = (planIds: ReadonlySet<string>): void => this.#shed(planIds)
    const standbyWork = {
      isDone: () => this.#keeper.standbyCount > 0,
      drop: (isDropped: boolean) => this.#dropStandbyWork(isDropped),
    }
    this.#shedding = deps.shedding && new LoadShedding({ ...deps.shedding, plans, onShed, standbyWork })
    const nowMs = (): number => clock.nowMs()
    const problems = new ProblemLog(deps.log)
    this.#problems = problems
    this.#recording = new Recording({
      ...deps,
      shardOf: (marketId) => shardOf(venue.id, marketId, shardCount),
      publish: (shard, tickMs, rows) => {
        for (const { flags } of rows.snapshots) metrics.rows.inc({ verified: (flags & 3) === 3 ? 'yes' : 'no' })
        for (const gap of rows.gaps) (isRowGap(gap) ? metrics.gaps : metrics.tradeGaps).inc({ cause: gap.cause })
        this.#keeper.publish(shard, tickMs, rows)
      },
      onResolved: (event) => {
        // Its standbys hear it, too.
        if (this.#recording.holds(event.marketId)) this.#results.take(event)
      },
      onProblem: ({ kind, reason }) => {
        metrics.problems.inc({ venue: venue.id, kind })
        problems.warn('frame not understood', reason, { venue: venue.id, kind, reason })
        if (kind !== 'unknown_key') this.#sockets.dump(kind)
      },
      onDoubt: (market, { cause }) => this.#sockets.dump(cause, market),
      onSwitched: (marketId, changedAtMs) => this.#sockets.switched(marketId, changedAtMs),
      onMarketFrame: (frame) => this.#sockets.noteFrame(frame),
    })
    this.#keeper = new ShardKeeper({
      ...deps,
      group: venue.id,
      shards,
      recording: this.#recording,
      follow: (followed) => this.#followShards(followed),
      isReady: (shard) => this.#isReady(shard),
    })
    clock.onMovedAhead(() => this.#recording.apply({ kind: 'clock_stepped', atMs: nowMs() }))
    this.#sockets = new VenueSockets({
      ...deps,
      nowMs,
      owner: {
        // In a burst the event loop comes to its timers only after the last frame.
        beforeFrame: () => this.#ticks.takeIfDue(),
        frame: (text, receivedAtMs, socket) => {
          metrics.frames.inc({ venue: venue.id })
          return this.#recording.frame(text, receivedAtMs, socket)
        },
        protocolOf: (socket) => this.#recording.protocolOf(socket),
        opened: (marketIds, socket) => {
          this.#recording.apply({ kind: 'opened', atMs: nowMs(), socket })
          this.#bookWatch.opened(marketIds)
        },
        closed: (socket) => this.#recording.apply({ kind: 'closed', atMs: nowMs(), socket }),
        lost: (marketIds, doubt, lastDataAtMs, socket) => {
          metrics.lost.inc({ cause: doubt.cause })
          deps.log.warn({ ...doubt, socket, markets: marketIds.length }, 'socket lost')
          this.#recording.apply({ kind: 'lost', atMs: nowMs(), marketIds, doubt, lastDataAtMs })
        },
        allResolved: (marketIds) => this.#requestResults(marketIds),
        routed: (change) => this.#recording.apply({ kind: 'routed', atMs: nowMs(), change }),
        settleMoves: (atMs) => this.#recording.apply({ kind: 'moves_settled', atMs }),
      },
    })
    this.#bookWatch = new BookWatch({ ...deps, nowMs, recording: this.#recording, sockets: this.#sockets })
    this.#settlements = new SettlementWatch({
      ...deps,
      nowMs,
      isHeld: (marketId) => this.#recording.holds(marketId),
      onPrice: (price) => this.#recording.settlement(price),
    })
    this.#results = new AnnouncedResults({
      venueId: venue.id,
      marketOf: (id) => this.#open.markets.get(id),
      publish: (update, messageId) => publishMarketUpdate(deps.jetstream, update, messageId),
      requestResults: (marketIds) => this.#requestResults(marketIds),
      problems,
      onDropped: ({ kind }) => metrics.updatesDropped.inc({ kind }),
    })
    this.#open = new OpenMarkets({
      ...deps,
      venue: venue.id,
      nowMs,
      onAdded: (market) => {
        if (this.#followedSinceMs.has(this.#shardOf(market.id))) this.#follow(market)
      },
      onRemoved: (market) => {
        this.#discovering?.ended(market.id)
        if (this.#recording.markets.has(market.id)) this.#leave(market)
      },
      onTrouble: (err) => problems.warn('reading open markets failed', venue.id, { err, venue: venue.id }),
    })
  }

  /** After the signal it goes on until other recorders have its shards. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController()
    await Promise.all([
      this.#keeper.run(signal).finally(() => ended.abort()),
      this.#leadDiscovery(signal),
      ...[this.#sockets, this.#open, this.#results, this.#bookWatch, this.#settlements, this.#ticks].map((part) =>
        part.run(ended.signal),
      ),
      this.#setGauges(ended.signal),
      this.#shedding?.run(ended.signal),
    ])
    const { raw, venue, clock } = this.#deps
    // Without it, the last records of this recorder may be missing.
    raw?.append({ kind: 'stopped', atMs: clock.nowMs(), venue: venue.id, stream: '', body: '' })
  }

  /** Of all recorders, one at a time lists the markets of the venue, so that its request limit is used once. */
  #leadDiscovery(signal: AbortSignal): Promise<void> {
    const { venue, leases, log } = this.#deps
    const onTrouble = (err: unknown): void =>
      this.#problems.warn('lease of discovery failed', venue.id, { err, venue: venue.id })
    const lead = async (leading: AbortSignal): Promise<void> => {
      log.info({ venue: venue.id }, 'this recorder discovers markets')
      await this.#discover(leading)
    }
    return whileLeading({ leases, key: `discovery.${venue.id}`, onTrouble }, lead, signal)
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const { venue, clock, connection, jetstream, shardCount } = this.#deps
    const shards = shardsOf(venue.id, shardCount)
    const roster = new MarketRoster({
      ...this.#deps,
      nowMs: () => clock.nowMs(),
      problems: this.#problems,
      publish: (update, messageId) => publishMarketUpdate(jetstream, update, messageId),
      inheritedIds: () => inheritedMarketIds({ ...this.#deps, shards }, venue.id),
      listedBefore: (id) => listedInStream(jetstream, venue.id, id),
      openMarkets: () => this.#open.markets.values(),
    })
    const ended = connection.subscribe(endedSubject(venue.id), {
      callback: (error, message) => {
        if (error === null) roster.requestResolutions(message.json<string[]>())
      },
    })
    this.#discovering = roster
    await roster.run(signal)
    this.#discovering = undefined
    ended.unsubscribe()
  }

  /** A request that is lost does no harm: every market that ended is asked about anyway, some minutes later. */
  #requestResults(marketIds: readonly string[]): void {
    const { connection, venue } = this.#deps
    if (!connection.isClosed()) connection.publish(endedSubject(venue.id), JSON.stringify(marketIds))
  }

  #shardOf(marketId: string): string {
    const { venue, shardCount } = this.#deps
    return shardOf(venue.id, marketId, shardCount)
  }

  #followShards(shards: ReadonlySet<string>): void {
    const added = [...shards].filter((shard) => !this.#followedSinceMs.has(shard))
    const left = [...this.#followedSinceMs.keys()].filter((shard) => !shards.has(shard))
    if (added.length === 0 && left.length === 0) return
    for (const shard of added) this.#followedSinceMs.set(shard, this.#deps.clock.nowMs())
    for (const shard of left) this.#followedSinceMs.delete(shard)
    for (const market of this.#open.markets.values()) {
      const shard = this.#shardOf(market.id)
      if (added.includes(shard)) this.#follow(market)
      else if (left.includes(shard)) this.#leave(market)
    }
  }

  /** Every book of the shard is proved, or had enough time for it. */
  #isReady(shard: string): boolean {
    const sinceMs = this.#followedSinceMs.get(shard)
    if (sinceMs === undefined || !this.#open.isLoaded) return false
    if (this.#deps.clock.nowMs() - sinceMs >= READY_AFTER_MS) return true
    const followed = [...this.#recording.markets].filter(([id]) => this.#shardOf(id) === shard)
    return followed.length > 0 && followed.every(([, { book }]) => book.proved !== undefined)
  }

  #tick(tickMs: number, intervalsMs: ReadonlySet<number>): void {
    const { clock, metrics } = this.#deps
    metrics.tickOffsetSeconds.observe((clock.nowMs() - tickMs) / 1000)
    this.#recording.apply({ kind: 'tick', atMs: clock.nowMs(), tickMs, intervalsMs: [...intervalsMs] })
  }

  #follow(market: Market): void {
    this.#intervalsMs.add(market.captureIntervalMs)
    this.#recording.apply({ kind: 'listed', atMs: this.#deps.clock.nowMs(), market })
    if (this.#shedding?.isShed(market.planId)) this.#pause(market)
    else this.#sockets.add(market)
    this.#settlements.note(market)
  }

  #dropStandbyWork(isDropped: boolean): void {
    const { venue, log, metrics } = this.#deps
    log.warn({ venue: venue.id, isDropped }, 'recorder overloaded: standby work')
    metrics.standbyDropped.set({ venue: venue.id }, isDropped ? 1 : 0)
    this.#keeper.dropStandbyWork(isDropped)
  }

  /** The markets of these plans, and only they, are not received for now. */
  #shed(planIds: ReadonlySet<string>): void {
    const { venue, log, metrics, plans } = this.#deps
    log.warn({ venue: venue.id, plans: [...planIds] }, 'recorder overloaded: plans that are not recorded for now')
    for (const { id } of plans) metrics.plansShed.set({ venue: venue.id, plan: id }, planIds.has(id) ? 1 : 0)
    for (const { market } of this.#recording.markets.values()) {
      if (planIds.has(market.planId) === !this.#sockets.has(market)) continue
      if (planIds.has(market.planId)) {
        this.#sockets.remove(market)
        this.#pause(market)
      } else this.#sockets.add(market)
    }
  }

  /** Up to now its socket has delivered everything, so no row of it is in doubt. */
  #pause({ id }: Market): void {
    const atMs = this.#deps.clock.nowMs()
    // Frames that are still on their way must not make the book look right again.
    this.#recording.apply({ kind: 'routed', atMs, change: { kind: 'assigned', marketId: id, socket: NO_CONNECTION } })
    this.#recording.apply({ kind: 'lost', atMs, marketIds: [id], doubt: OVERLOADED, lastDataAtMs: atMs })
  }

  #leave(market: Market): void {
    this.#sockets.remove(market)
    this.#recording.apply({ kind: 'removed', atMs: this.#deps.clock.nowMs(), marketId: market.id })
    this.#bookWatch.forget(market.id)
  }

  async #setGauges(signal: AbortSignal): Promise<void> {
    const { venue, clock, metrics } = this.#deps
    while (!signal.aborted) {
      const markets = [...this.#recording.markets.values()]
      const trusted = markets.filter(({ book }) => book.proved !== undefined)
      metrics.followed.set({ venue: venue.id }, markets.length)
      metrics.trusted.set({ venue: venue.id }, trusted.length)
      metrics.proofBroken.set({ venue: venue.id }, venue.proofState() === 'rule_changed' ? 1 : 0)
      metrics.queuedBytes.set({ venue: venue.id }, this.#keeper.queuedBytes)
      metrics.shards.set({ venue: venue.id, place: 'held' }, this.#keeper.heldCount)
      metrics.shards.set({ venue: venue.id, place: 'standby' }, this.#keeper.standbyCount)
      metrics.wallStepSeconds.set((clock.wallStepMs() ?? 0) / 1000)
      await sleep(GAUGES_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

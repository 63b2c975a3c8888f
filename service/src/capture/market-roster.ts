import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { MarketUpdateOutbox } from '../bus/market-update-outbox.ts'
import type { MarketUpdate } from '../bus/market-updates.ts'
import type { Market, Resolution } from '../domain/market.ts'
import type { CategoryPlan } from '../domain/plan.ts'
import type { BinaryVenue, Listing } from '../venues/venue.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import { EndingWatch } from './ending-watch.ts'
import { ListingFigures, type NoteExamples } from './listing-figures.ts'
import type { ProblemLog } from './problem-log.ts'

export interface MarketRosterDeps {
  venue: BinaryVenue
  plans: readonly CategoryPlan[]
  /** Resolves when NATS has stored the update; the same `messageId` is given for every try. */
  publish(update: MarketUpdate, messageId: string): Promise<void>
  /** Markets that earlier recorders followed and that have no published resolution. */
  inheritedIds(): Promise<readonly string[]>
  /** A market as it was listed last, also by another recorder; undefined when that is not known any more. */
  listedBefore(marketId: string): Promise<Market | undefined>
  nowMs: () => number
  log: Logger
  problems: ProblemLog
  metrics: CaptureMetrics
  noteExamples?: NoteExamples | undefined
  /** Markets that recorders follow now. */
  openMarkets: () => Iterable<Market>
}

interface Kept {
  market: Market
  listedAtMs: number
  /** Since when the venue says that the market is closed, without a result. */
  closedSinceMs?: number
  /** The venue announced a result that could not be read; lists may show the market as open for some minutes more. */
  wasAnnounced?: boolean
}

const CHECK_EVERY_MS = 1_000
/** Discovery may still list a market for some minutes after its resolution. */
const RESOLVED_REMEMBERED = 5_000
/** Discovery gets this long to list an inherited market before its resolution is requested. */
const REDISCOVERY_MS = 60_000
/** The venue announces most results about a minute after the end; asking earlier is of no use. */
const FIRST_REQUEST_AFTER_END_MS = 60_000
/** A closed market keeps its place for this long, because its announcement may still come. */
const KEPT_AFTER_CLOSE_MS = 30 * 60_000
const RECONCILE_AGAIN_AFTER_MS = 5_000
const LISTED_AGAIN_AFTER_MS = 86_400_000
const ENDED_LISTED_AGAIN_AFTER_MS = 180_000
/** By then every plan was listed several times: a market that was in no listing is unknown to the venue. */
const ALL_LISTED_AFTER_MS = 600_000

/**
 * The markets to follow: found by discovery, kept until the venue itself says that they are closed. A market that a
 * listing lacks is asked about, never removed for that. Publishes listings, ends and resolutions to the bus, for all
 * recorders: only one process has a roster of a venue, so that its listings are requested once.
 */
export class MarketRoster {
  readonly #deps: MarketRosterDeps
  readonly #markets = new Map<string, Kept>()
  readonly #resolvedIds = new Set<string>()
  /** Plans with a whole listing since the last look for unknown markets. */
  readonly #listedPlans = new Set<string>()
  readonly #endings: EndingWatch
  readonly #outbox: MarketUpdateOutbox
  readonly #figures: ListingFigures

  constructor(deps: MarketRosterDeps) {
    this.#deps = deps
    const { venue, nowMs, problems, metrics, log } = deps
    this.#figures = new ListingFigures(venue.id, metrics, deps.noteExamples)
    this.#endings = new EndingWatch({
      venue,
      nowMs,
      tokenIdsOf: async (id) => (this.#markets.get(id)?.market ?? (await deps.listedBefore(id)))?.tokenIds,
      onResolved: (resolution) => this.#resolved(resolution),
      onClosed: (id) => this.#closed(id),
      onFailed: (err, markets) => problems.warn('fetching resolutions failed', venue.id, { err, markets }),
    })
    this.#outbox = new MarketUpdateOutbox({
      publish: (update, messageId) => deps.publish(update, messageId),
      onFailed: (err, waiting) => problems.warn('publishing market updates failed', venue.id, { err, waiting }),
      onDropped: ({ kind }) => {
        metrics.updatesDropped.inc({ kind })
        log.error({ kind }, 'market update dropped, too many are waiting')
      },
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { plans } = this.#deps
    await Promise.all([
      this.#outbox.run(signal),
      ...plans.map((plan) => this.#discover(plan, signal)),
      this.#noteInherited(signal),
      this.#watchEnds(signal),
      this.#endings.run(signal),
    ])
  }

  /** The market is closed or resolved; a recorder to which the result was announced may have published it. */
  ended(marketId: string): void {
    if (!this.#markets.delete(marketId)) return
    this.#endings.forget(marketId)
    this.#rememberResolved(marketId)
  }

  #resolved(resolution: Resolution): void {
    const { marketId } = resolution
    this.#endings.forget(marketId)
    if (this.#resolvedIds.has(marketId)) return
    this.#outbox.add({ kind: 'resolved', venue: this.#deps.venue.id, resolution })
    this.#markets.delete(marketId)
    this.#rememberResolved(marketId)
  }

  #rememberResolved(marketId: string): void {
    this.#resolvedIds.add(marketId)
    const [oldest] = this.#resolvedIds
    if (this.#resolvedIds.size > RESOLVED_REMEMBERED && oldest !== undefined) this.#resolvedIds.delete(oldest)
  }

  /** These markets are resolved, but the socket did not say how. */
  requestResolutions(marketIds: readonly string[]): void {
    for (const kept of marketIds.flatMap((id) => this.#markets.get(id) ?? [])) {
      kept.wasAnnounced = true
      this.#endings.note(kept.market.id)
    }
  }

  /** Its result is still requested after it was removed. */
  #closed(marketId: string): void {
    const kept = this.#markets.get(marketId)
    if (kept === undefined) return this.#closeIfOpen(marketId)
    kept.closedSinceMs ??= this.#deps.nowMs()
    if (this.#deps.nowMs() - kept.closedSinceMs < KEPT_AFTER_CLOSE_MS) return
    this.#markets.delete(marketId)
    this.#close(marketId)
  }

  #close(marketId: string): void {
    this.#outbox.add({ kind: 'closed', venue: this.#deps.venue.id, marketId })
  }

  /** A market that an earlier roster found, and this one does not. */
  #closeIfOpen(marketId: string): void {
    for (const { id } of this.#deps.openMarkets()) if (id === marketId) this.#close(marketId)
  }

  /** Lists the markets of a plan once per refresh interval; a failed listing is retried in the next round. */
  async #discover(plan: CategoryPlan, signal: AbortSignal): Promise<void> {
    const { venue, nowMs, problems, metrics } = this.#deps
    while (!signal.aborted) {
      try {
        const listing = await venue.discover(plan, nowMs(), signal)
        this.#figures.take(plan.id, listing)
        this.#merge(plan, listing)
      } catch (error) {
        if (!signal.aborted) {
          metrics.listings.inc({ venue: venue.id, plan: plan.id, outcome: 'failed' })
          problems.warn('discovery failed', plan.id, { err: error, venue: venue.id, plan: plan.id })
        }
      }
      await sleep(plan.refreshIntervalMs, undefined, { signal }).catch(() => {})
    }
  }

  #merge(plan: CategoryPlan, { markets, isPartial }: Listing): void {
    const found = new Set(markets.map(({ id }) => id))
    const hasEnded = ({ endsAtMs }: Market): boolean => this.#deps.nowMs() >= endsAtMs
    for (const market of markets) {
      if (!hasEnded(market) && !this.#markets.get(market.id)?.wasAnnounced) this.#endings.forget(market.id)
      if (!this.#markets.has(market.id) && !this.#resolvedIds.has(market.id)) this.#add(market)
    }
    if (isPartial) return
    this.#listedPlans.add(plan.id)
    for (const { market } of this.#markets.values())
      if (market.planId === plan.id && !found.has(market.id) && !hasEnded(market)) this.#endings.note(market.id)
  }

  #add(market: Market): void {
    this.#markets.set(market.id, { market, listedAtMs: this.#deps.nowMs() })
    this.#outbox.add({ kind: 'listed', venue: market.venue, market })
  }

  /** The stream forgets old messages, and a recorder that starts later must know the market, too. */
  #listAgain(kept: Kept, afterMs: number): void {
    if (this.#deps.nowMs() - kept.listedAtMs < afterMs) return
    kept.listedAtMs = this.#deps.nowMs()
    this.#outbox.add({ kind: 'listed', venue: kept.market.venue, market: kept.market })
  }

  /** Only where a whole listing was read: a venue that does not answer has not closed its markets. */
  #closeUnlisted(): void {
    const { plans, openMarkets } = this.#deps
    const unknown = plans.map(({ id }) => id).filter((id) => !this.#listedPlans.has(id))
    for (const { id, planId } of openMarkets()) if (!this.#markets.has(id) && !unknown.includes(planId)) this.#close(id)
    this.#listedPlans.clear()
  }

  /** Every market that ended is asked about, whether or not its result was announced. */
  async #watchEnds(signal: AbortSignal): Promise<void> {
    const { nowMs, metrics } = this.#deps
    let closeUnlistedAtMs = nowMs() + ALL_LISTED_AFTER_MS
    while (!signal.aborted) {
      for (const kept of this.#markets.values()) {
        const { id, endsAtMs } = kept.market
        const hasEnded = nowMs() >= endsAtMs
        if (hasEnded) this.#endings.note(id, endsAtMs + FIRST_REQUEST_AFTER_END_MS)
        // A recorder that starts takes an ended market for closed unless it was listed lately.
        this.#listAgain(kept, hasEnded ? ENDED_LISTED_AGAIN_AFTER_MS : LISTED_AGAIN_AFTER_MS)
      }
      if (nowMs() >= closeUnlistedAtMs) {
        closeUnlistedAtMs = nowMs() + ALL_LISTED_AFTER_MS
        this.#closeUnlisted()
      }
      metrics.updatesWaiting.set(this.#outbox.waiting)
      await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Markets that an earlier recorder followed count as unresolved until discovery lists them again. */
  async #noteInherited(signal: AbortSignal): Promise<void> {
    const { nowMs, problems, venue } = this.#deps
    const firstRequestAtMs = nowMs() + REDISCOVERY_MS
    while (!signal.aborted) {
      try {
        for (const id of await this.#deps.inheritedIds())
          if (!this.#markets.has(id) && !this.#resolvedIds.has(id)) this.#endings.note(id, firstRequestAtMs)
        return
      } catch (error) {
        if (!signal.aborted) problems.warn('reading inherited markets failed', venue.id, { err: error })
      }
      await sleep(RECONCILE_AGAIN_AFTER_MS, undefined, { signal }).catch(() => {})
    }
  }
}

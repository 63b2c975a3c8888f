import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, wallClock } from '../../domain/clock.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import type { SlugIndex } from '../../domain/slug-index.ts'
import type { Page } from '../../domain/word-index.ts'
import { type FollowedChanges, followChanges } from './follow-changes.ts'
import { type FoundByText, MAX_SETTLING_MS, MarketList } from './market-list.ts'
import type { MarketFilter, Markets } from './markets.ts'
import type { StoredMarket } from './postgres-market-rows.ts'

export interface CatalogueSource {
  readonly markets: Pick<Markets, 'unresolved' | 'byIds'>
  readonly plans: () => Promise<readonly CategoryPlan[]>
  /** Default: that of the machine. */
  readonly nowMs?: Clock
}

export interface CatalogueRun {
  /** Undefined while NATS is not connected. */
  readonly changes: () => FollowedChanges | undefined
  readonly onTrouble: (error: unknown) => void
  /** Markets that differed from PostgreSQL although no change was waiting. */
  readonly onMissed: (marketIds: readonly string[]) => void
  /** Default 10 minutes. */
  readonly reconcileEveryMs?: number
}

const LIST_EVERY_MS = 2_000

/**
 * Every market that is not resolved yet, in memory: current lists and lookups need no database and work while it is
 * away. It never has anything that PostgreSQL does not have.
 */
export class LiveCatalogue {
  readonly #source: CatalogueSource
  readonly #nowMs: Clock
  readonly #held = new MarketList()
  #plans: readonly CategoryPlan[] = []
  #refreshedAtMs: number | undefined
  /** One read at a time: a slow one must not replace what a later one has found. */
  #reading: Promise<unknown> = Promise.resolve()

  constructor(source: CatalogueSource) {
    this.#source = source
    this.#nowMs = source.nowMs ?? wallClock
  }

  /** When this was known to be all that PostgreSQL has; undefined until it has been read for the first time. */
  get refreshedAtMs(): number | undefined {
    return this.#refreshedAtMs
  }

  get plans(): readonly CategoryPlan[] {
    return this.#plans
  }

  /** Follows the changes on the bus until the signal; while that is not possible, lists all markets again and again. */
  async run(deps: CatalogueRun, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const changes = deps.changes()
      if (changes !== undefined) await this.#follow(changes, deps, signal).catch(deps.onTrouble)
      if (!signal.aborted) await this.refresh(this.#nowMs()).catch(deps.onTrouble)
      await sleep(LIST_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Lists all markets. */
  refresh(nowMs: number): Promise<void> {
    return this.#alone(async () => {
      const [markets] = await Promise.all([this.#listed(nowMs), this.#readPlans()])
      this.#held.replace(markets, nowMs)
      this.#refreshedAtMs = nowMs
    })
  }

  get ids(): Iterable<string> {
    return this.#held.ids
  }

  byId(id: string, nowMs: number): StoredMarket | undefined {
    return this.#held.byId(id, nowMs)
  }

  /** Soonest-ending first, ended markets last; ties by id. */
  list(filter: MarketFilter, nowMs: number): StoredMarket[] {
    return this.#held.list(filter, nowMs)
  }

  /** Best first, only markets that are not resolved. */
  search(text: string, filter: MarketFilter, nowMs: number, page: Page): Promise<FoundByText> {
    return this.#held.search(text, filter, nowMs, page)
  }

  /** Searches only markets that are not resolved, of one venue or of every venue. */
  resolveSlug(slug: string, nowMs: number, venue?: string): ReturnType<SlugIndex['resolve']> {
    return this.#held.resolveSlug(slug, nowMs, venue)
  }

  #follow(changes: FollowedChanges, deps: CatalogueRun, signal: AbortSignal): Promise<void> {
    return followChanges(
      {
        changes,
        held: this.#held,
        nowMs: this.#nowMs,
        snapshot: () => this.refresh(this.#nowMs()),
        read: (ids) => this.#alone(() => this.#source.markets.byIds(ids, this.#nowMs())),
        listed: () => this.#listed(this.#nowMs()),
        readPlans: () => this.#readPlans(),
        complete: (atMs) => {
          this.#refreshedAtMs = atMs
        },
        onMissed: deps.onMissed,
        reconcileEveryMs: deps.reconcileEveryMs,
      },
      signal,
    )
  }

  #alone<Result>(read: () => Promise<Result>): Promise<Result> {
    const result = this.#reading.then(read)
    this.#reading = result.catch(() => {})
    return result
  }

  #listed(nowMs: number): Promise<StoredMarket[]> {
    return this.#source.markets.unresolved(nowMs - MAX_SETTLING_MS, nowMs)
  }

  async #readPlans(): Promise<void> {
    this.#plans = await this.#source.plans()
  }
}

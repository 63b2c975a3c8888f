import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../domain/clock.ts'
import { MarketList } from './market-list.ts'
import type { StoredMarket } from './postgres-market-rows.ts'

/** The updates of markets on the bus; every update has a sequence. */
export interface FollowedChanges {
  /** PostgreSQL has every update up to this sequence, or can never store it. */
  storedUpTo(): Promise<number>
  newest(): Promise<number>
  follow(after: number, onChange: (marketId: string, sequence: number) => void, signal: AbortSignal): Promise<void>
}

export interface FollowDeps {
  readonly changes: FollowedChanges
  readonly held: MarketList
  readonly nowMs: Clock
  /** Reads all markets into `held`. */
  readonly snapshot: () => Promise<void>
  readonly read: (ids: readonly string[]) => Promise<readonly StoredMarket[]>
  readonly listed: () => Promise<readonly StoredMarket[]>
  readonly readPlans: () => Promise<void>
  /** Everything that PostgreSQL had at this time is in `held`. */
  readonly complete: (atMs: number) => void
  readonly onMissed: (marketIds: readonly string[]) => void
  /** Default 10 minutes. */
  readonly reconcileEveryMs?: number | undefined
}

const GATHER_MS = 100
const CHECK_EVERY_MS = 2_000
const READ_PLANS_EVERY_MS = 10_000
const RECONCILE_EVERY_MS = 600_000
const LATE_AFTER_MS = 10_000
/** Above this, listing all markets is cheaper than asking for each. */
const MOST_READ_BY_ID = 1_000

/**
 * Keeps the list equal to PostgreSQL until the signal. The bus only tells which markets to read again, and when: as soon
 * as their updates are stored. Rejects when updates may have been missed.
 */
export async function followChanges(deps: FollowDeps, signal: AbortSignal): Promise<void> {
  await deps.changes.newest()
  // Noted before the snapshot is read: what is stored later is read again.
  const after = await deps.changes.storedUpTo()
  await deps.snapshot()
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const follower = new ChangeFollower(deps, after)
  const ended = async (): Promise<void> => {
    await deps.changes.follow(after, (id, sequence) => follower.take(id, sequence), until)
    if (!until.aborted) throw new Error('The server ended the consumer of market updates.')
  }
  try {
    await Promise.all([ended(), follower.run(until)])
  } finally {
    stop.abort()
  }
}

class ChangeFollower {
  readonly #deps: FollowDeps
  /** Updates that were not read from PostgreSQL yet: the newest sequence of each market. */
  readonly #waiting = new Map<string, number>()
  #seen: number
  #seenAtMs = performance.now()
  #wake = Promise.withResolvers<void>()
  #pauseMs = CHECK_EVERY_MS
  #checkAtMs = 0
  #readPlansAtMs = performance.now() + READ_PLANS_EVERY_MS
  #reconcileAtMs: number

  constructor(deps: FollowDeps, after: number) {
    this.#deps = deps
    this.#seen = after
    this.#reconcileAtMs = performance.now() + this.#reconcileEveryMs
  }

  take(marketId: string, sequence: number): void {
    this.#waiting.set(marketId, sequence)
    this.#seen = sequence
    this.#seenAtMs = performance.now()
    this.#wake.resolve()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#round()
      const pause = new AbortController()
      const ends = AbortSignal.any([signal, pause.signal])
      await Promise.race([this.#wake.promise, sleep(this.#pauseMs, undefined, { signal: ends }).catch(() => {})])
      pause.abort()
      this.#wake = Promise.withResolvers()
      await sleep(GATHER_MS, undefined, { signal }).catch(() => {})
    }
  }

  get #reconcileEveryMs(): number {
    return this.#deps.reconcileEveryMs ?? RECONCILE_EVERY_MS
  }

  async #round(): Promise<void> {
    const { held, complete, readPlans } = this.#deps
    const [nowMs, clockMs] = [performance.now(), this.#deps.nowMs()]
    held.removeEnded(clockMs)
    const isCheckDue = nowMs >= this.#checkAtMs
    const isUpToDate = isCheckDue && (await this.#hasSeenAll())
    await this.#readStored()
    if (isUpToDate) complete(clockMs)
    if (isCheckDue) this.#checkAtMs = nowMs + CHECK_EVERY_MS
    if (nowMs >= this.#readPlansAtMs) {
      await readPlans()
      this.#readPlansAtMs = nowMs + READ_PLANS_EVERY_MS
    }
    if (isUpToDate && nowMs >= this.#reconcileAtMs) {
      await this.#reconcile()
      this.#reconcileAtMs = nowMs + this.#reconcileEveryMs
    }
  }

  async #hasSeenAll(): Promise<boolean> {
    const before = this.#seen
    const newest = await this.#deps.changes.newest()
    // An update may come between the answer and this line.
    if (newest < before) throw new Error('The stream of market updates lost updates.')
    if (newest <= this.#seen) this.#seenAtMs = performance.now()
    if (performance.now() - this.#seenAtMs > LATE_AFTER_MS) throw new Error('Market updates do not arrive.')
    return newest <= this.#seen
  }

  /** While updates wait to be stored, asks less and less often whether they are. */
  async #readStored(): Promise<void> {
    this.#pauseMs = Math.min(this.#pauseMs * 2, CHECK_EVERY_MS)
    if (this.#waiting.size === 0) return
    const storedUpTo = await this.#deps.changes.storedUpTo()
    const stored = [...this.#waiting].filter(([, sequence]) => sequence <= storedUpTo)
    if (stored.length > 0) this.#pauseMs = GATHER_MS
    await this.#read(stored.map(([id]) => id))
    for (const [id, sequence] of stored) if (this.#waiting.get(id) === sequence) this.#waiting.delete(id)
  }

  async #read(ids: readonly string[]): Promise<void> {
    const { held, nowMs, read, snapshot } = this.#deps
    if (ids.length === 0) return
    if (ids.length > MOST_READ_BY_ID) return snapshot()
    const found = new Map((await read(ids)).map((market) => [market.id, market]))
    for (const id of ids) {
      const market = found.get(id)
      if (market === undefined) held.remove(id)
      else held.put(market, nowMs())
    }
  }

  /** Compares with all that PostgreSQL has. Markets that differ are read again when all that was published is seen. */
  async #reconcile(): Promise<void> {
    const { held, listed, nowMs, onMissed } = this.#deps
    const stored = new MarketList()
    stored.replace([...(await listed())], nowMs())
    const suspects = differing(held, stored)
    if (suspects.length === 0) return
    while (!(await this.#hasSeenAll())) await sleep(GATHER_MS)
    await this.#readStored()
    const before = new Map(suspects.map((id) => [id, textOf(held, id)]))
    // What PostgreSQL has is right, also while the role `catalogue` is away and acknowledges nothing.
    const settled = suspects.filter((id) => !this.#waiting.has(id))
    await this.#read(suspects)
    const missed = settled.filter((id) => textOf(held, id) !== before.get(id))
    if (missed.length > 0) onMissed(missed)
  }
}

function differing(one: MarketList, other: MarketList): string[] {
  return [...new Set([...one.ids, ...other.ids])].filter((id) => textOf(one, id) !== textOf(other, id))
}

function textOf(list: MarketList, id: string): string {
  // One time for both lists, so that the status is the same.
  return JSON.stringify(list.byId(id, 0) ?? null)
}

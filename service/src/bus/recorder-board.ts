import { z } from 'zod'
import { type RankedRecorder, type Ranks, rankRecorders } from '../domain/ranks.ts'
import { leaseKeyOf, type ShardLeases } from './shard-leases.ts'

/** What a recorder tells all others about itself, once a second. */
const Announcement = z.object({
  capacity: z.number().positive(),
  /** The groups of shards that it can record. */
  groups: z.array(z.string()),
  /** Shards whose markets it follows with proved books, so that it can go on with them at once. */
  warm: z.array(z.string()),
  /** It ends soon and takes no shard. */
  isLeaving: z.boolean(),
})
type Announcement = z.infer<typeof Announcement>

export interface RecorderBoardOptions {
  readonly leases: ShardLeases
  readonly capacity: number
  readonly standbys: number
  readonly groups: readonly string[]
  readonly onTrouble: (error: unknown) => void
}

const ANNOUNCE_EVERY_MS = 1_000
const WATCH_AGAIN_AFTER_MS = 200
const ANNOUNCEMENT = 'recorder.'
const LEASE = leaseKeyOf('')

/**
 * Who records now, and which shard is whose, as NATS tells every recorder. Keys expire when a recorder is gone; the
 * bucket is watched, so that the others know it at once.
 */
export class RecorderBoard {
  readonly #options: RecorderBoardOptions
  readonly #recorders = new Map<string, Announcement>()
  readonly #holders = new Map<string, string>()
  /** The newest value of every key; most are renewed without a change. */
  readonly #values = new Map<string, string>()
  readonly #freeSinceMs = new Map<string, number>()
  readonly #listeners = new Set<() => void>()
  readonly #warm = new Map<string, () => readonly string[]>()
  readonly #ranks = new Map<string, { key: string; ranks: Ranks }>()
  #watching = new AbortController()
  #heardAtMs = 0
  #announced = ''
  #announcedAtMs: number | undefined
  /** From when on the other recorders are known; undefined while NATS is unavailable. */
  #currentFromMs: number | undefined
  #isLeaving = false

  constructor(options: RecorderBoardOptions) {
    this.#options = options
  }

  /**
   * Whether the other recorders are known. After an outage of NATS all keys may have expired: for one lifetime of a
   * key nobody takes a shard, so that its holder, which may have rows in its queue, can take it back.
   */
  get isCurrent(): boolean {
    // Keys come in order, so with our own announcement every earlier one has come.
    if (!this.#recorders.has(this.rankName) || this.#currentFromMs === undefined || this.#isDeaf) return false
    return this.#options.leases.timer.monotonicMs() >= this.#currentFromMs
  }

  /** Recorders that may record this group, with this one. */
  recordersOf(group: string): RankedRecorder[] {
    const recorders = [...this.#recorders].filter(([, { groups, isLeaving }]) => groups.includes(group) && !isLeaving)
    // In the same order everywhere, because sums of fractions depend on it.
    return recorders
      .map(([name, { capacity }]) => ({ name, capacity }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  ranksOf(group: string, shards: readonly string[]): Ranks {
    const recorders = this.recordersOf(group)
    const key = JSON.stringify([shards.length, recorders])
    const known = this.#ranks.get(group)
    if (known?.key === key) return known.ranks
    const ranks = rankRecorders(shards, recorders, this.#options.standbys)
    this.#ranks.set(group, { key, ranks })
    return ranks
  }

  /** This process's name as it stands in ranks. */
  get rankName(): string {
    return nameKeyOf(this.#options.leases.owner)
  }

  holderOf(shard: string): string | undefined {
    return this.#holders.get(shard)
  }

  /** How long nobody has held the shard, as far as this process knows. */
  freeForMs(shard: string): number {
    if (this.#holders.has(shard)) return 0
    const nowMs = this.#options.leases.timer.monotonicMs()
    const sinceMs = this.#freeSinceMs.get(shard) ?? nowMs
    this.#freeSinceMs.set(shard, sinceMs)
    return nowMs - sinceMs
  }

  /** Whether this recorder can go on with the shard at once. */
  isWarm(shard: string, name: string): boolean {
    return this.#recorders.get(name)?.warm.includes(shard) ?? false
  }

  hasOtherWarm(shard: string): boolean {
    const others = [...this.#recorders].filter(([name, { isLeaving }]) => name !== this.rankName && !isLeaving)
    return others.some(([, { warm }]) => warm.includes(shard))
  }

  hasOthers(group: string): boolean {
    return this.recordersOf(group).some(({ name }) => name !== this.rankName)
  }

  /** `warmShards` is asked before every announcement: a process that was suspended must not say what was true before. */
  tellWarm(group: string, warmShards: () => readonly string[]): void {
    this.#warm.set(group, warmShards)
  }

  /** To be called when warm shards may have changed, so that the others need not wait for the next announcement. */
  announceChanges(): void {
    if (this.#announced !== this.#announcement()) void this.#announce()
  }

  async leave(): Promise<void> {
    if (this.#isLeaving) return
    this.#isLeaving = true
    await this.#announce()
  }

  /** Called after every change. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#watch(signal), this.#keepAnnounced(signal)])
    // The others need not wait until it expires.
    await this.#options.leases.keys.delete(this.rankName).catch(() => {})
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { leases, onTrouble } = this.#options
    while (!signal.aborted) {
      this.#watching = new AbortController()
      this.#heardAtMs = leases.timer.monotonicMs()
      const stopped = AbortSignal.any([signal, this.#watching.signal])
      try {
        await leases.keys.watch((key, entry) => {
          if (!stopped.aborted) this.#noted(key, entry?.value)
        }, stopped)
      } catch (error) {
        if (!signal.aborted) onTrouble(error)
      }
      await leases.timer.sleep(WATCH_AGAIN_AFTER_MS, signal)
    }
  }

  /** Whether our own announcements no longer come back. */
  get #isDeaf(): boolean {
    const { timer, ttlMs } = this.#options.leases
    return timer.monotonicMs() - this.#heardAtMs > ttlMs
  }

  /** What expired while nothing was heard is told by nobody later, so everything is read anew. */
  #watchAnew(): void {
    this.#recorders.clear()
    this.#holders.clear()
    this.#values.clear()
    this.#freeSinceMs.clear()
    this.#watching.abort()
  }

  async #keepAnnounced(signal: AbortSignal): Promise<void> {
    const { timer } = this.#options.leases
    while (!signal.aborted) {
      await this.#announce()
      if (this.#isDeaf && this.#currentFromMs !== undefined) this.#watchAnew()
      await timer.sleep(ANNOUNCE_EVERY_MS, signal)
    }
  }

  #announcement(): string {
    const { capacity, groups } = this.#options
    const warm = [...this.#warm.values()].flatMap((warmShards) => warmShards())
    return JSON.stringify({ capacity, groups: [...groups], warm, isLeaving: this.#isLeaving } satisfies Announcement)
  }

  async #announce(): Promise<void> {
    const { leases, onTrouble } = this.#options
    this.#announced = this.#announcement()
    try {
      await leases.keys.put(this.rankName, this.#announced)
      const nowMs = leases.timer.monotonicMs()
      if (this.#announcedAtMs === undefined) this.#currentFromMs = nowMs
      else if (this.#currentFromMs === undefined || nowMs - this.#announcedAtMs > leases.ttlMs) {
        this.#currentFromMs = nowMs + leases.ttlMs
        this.#watchAnew()
      }
      this.#announcedAtMs = nowMs
    } catch (error) {
      this.#currentFromMs = undefined
      onTrouble(error)
    }
  }

  #noted(key: string, value: string | undefined): void {
    if (key === this.rankName) this.#heardAtMs = this.#options.leases.timer.monotonicMs()
    const isNew = this.#values.get(key) !== value
    if (value === undefined) this.#values.delete(key)
    else this.#values.set(key, value)
    if (!isNew) return
    if (key.startsWith(ANNOUNCEMENT)) this.#notedRecorder(key, value)
    else if (key.startsWith(LEASE)) this.#notedLease(key.slice(LEASE.length), value)
    else return
    this.#tell()
  }

  #notedRecorder(key: string, value: string | undefined): void {
    if (value === undefined) this.#recorders.delete(key)
    else this.#recorders.set(key, Announcement.parse(JSON.parse(value)))
  }

  #notedLease(shard: string, holder: string | undefined): void {
    if (holder === undefined) {
      this.#holders.delete(shard)
      this.#freeSinceMs.set(shard, this.#options.leases.timer.monotonicMs())
    } else {
      this.#holders.set(shard, holder)
      this.#freeSinceMs.delete(shard)
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Keys may not contain every character of a host name. */
function nameKeyOf(name: string): string {
  return `${ANNOUNCEMENT}${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
}

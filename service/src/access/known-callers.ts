import { LRUCache } from 'lru-cache'
import { StoreAway } from './breaker.ts'
import type { Caller } from './caller.ts'

const MAX_ENTRIES = 50_000
const MAX_UNKNOWN = 10_000
const FRESH_MS = 5_000
const UNKNOWN_FRESH_MS = 2_000
/** Used only while the store is unavailable. */
const GRACE_MS = 60_000

interface Entry {
  /** Undefined for a key that is unknown or not valid. */
  readonly caller: Caller | undefined
  readonly loadedAtMs: number
}

/** Returns `null` when there is no such valid key. */
export type Load = () => Promise<Caller | null | StoreAway>

/**
 * Cache of the keys that this node has seen. Entries are used for five seconds; while the store is unavailable, entries
 * of valid keys are used for a minute. Concurrent lookups of the same key share one query.
 */
export class KnownCallers {
  readonly #nowMs: () => number
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES })
  /** Apart from the valid keys, which somebody who tries many keys must not displace. */
  readonly #unknown = new LRUCache<string, Entry>({ max: MAX_UNKNOWN })
  readonly #loading = new Map<string, Promise<Caller | undefined | StoreAway>>()
  /** Number of changes received; a query that started before a change may return old data. */
  #changes = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Undefined unless it was valid within the last minute. */
  known(name: string): Caller | undefined {
    const entry = this.#entries.get(name)
    return entry !== undefined && this.#ageOf(entry) < GRACE_MS ? entry.caller : undefined
  }

  /** Undefined when there is no such valid key. */
  async get(name: string, load: Load): Promise<Caller | undefined | StoreAway> {
    const entry = this.#entries.get(name) ?? this.#unknown.get(name)
    if (entry !== undefined && this.#isFresh(entry)) return entry.caller
    return this.#loading.get(name) ?? this.#load(name, load)
  }

  forget(matches: (caller: Caller) => boolean): void {
    this.#noteChange()
    for (const [name, { caller }] of this.#entries.entries()) {
      if (caller !== undefined && matches(caller)) this.#entries.delete(name)
    }
  }

  forgetAll(): void {
    this.#noteChange()
    this.#entries.clear()
    this.#unknown.clear()
  }

  /** Later lookups must not share a query that started before the change. */
  #noteChange(): void {
    this.#changes++
    this.#loading.clear()
  }

  #load(name: string, load: Load): Promise<Caller | undefined | StoreAway> {
    const loading = this.#loadNow(name, load).finally(() => {
      if (this.#loading.get(name) === loading) this.#loading.delete(name)
    })
    this.#loading.set(name, loading)
    return loading
  }

  async #loadNow(name: string, load: Load): Promise<Caller | undefined | StoreAway> {
    const startedAtMs = this.#nowMs()
    const changes = this.#changes
    const answer = await load()
    if (answer instanceof StoreAway) return this.#graceFor(name) ?? answer
    const caller = answer ?? undefined
    // A change received meanwhile may concern this key, so the answer is used once and not cached.
    if (changes === this.#changes) this.#remember(name, { caller, loadedAtMs: startedAtMs })
    return caller
  }

  #remember(name: string, entry: Entry): void {
    const [right, other] = entry.caller === undefined ? [this.#unknown, this.#entries] : [this.#entries, this.#unknown]
    right.set(name, entry)
    other.delete(name)
  }

  #graceFor(name: string): Caller | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined || this.#ageOf(entry) >= GRACE_MS || this.#hasEnded(entry)) return undefined
    return entry.caller
  }

  #isFresh(entry: Entry): boolean {
    if (entry.caller === undefined) return this.#ageOf(entry) < UNKNOWN_FRESH_MS
    return this.#ageOf(entry) < FRESH_MS && !this.#hasEnded(entry)
  }

  /** The key or the tier has ended since it was loaded. */
  #hasEnded({ caller }: Entry): boolean {
    return caller?.end !== undefined && caller.end.atMs <= this.#nowMs()
  }

  #ageOf(entry: Entry): number {
    return this.#nowMs() - entry.loadedAtMs
  }
}

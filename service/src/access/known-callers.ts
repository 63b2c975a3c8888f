import { LRUCache } from 'lru-cache'
import { StoreAway } from './breaker.ts'
import type { Caller } from './caller.ts'

const MOST_ENTRIES = 50_000
const FRESH_MS = 5_000
const UNKNOWN_FRESH_MS = 2_000
/** Only while the store can't be asked. */
const GRACE_MS = 60_000

export interface LoadedCaller {
  readonly caller: Caller
  readonly expiresAtMs?: number
}

interface Entry {
  /** Undefined: there is no such key, or it is not valid. */
  readonly loaded: LoadedCaller | undefined
  readonly loadedAtMs: number
}

/** `null`: no valid key. */
export type Load = () => Promise<LoadedCaller | null | StoreAway>

/**
 * The keys this node has seen. What it remembers is at most five seconds old; only while the store is away, and only
 * for keys that were valid, at most a minute. Many who ask at once for the same key are one question.
 */
export class KnownCallers {
  readonly #nowMs: () => number
  readonly #entries = new LRUCache<string, Entry>({ max: MOST_ENTRIES })
  readonly #loading = new Map<string, Promise<Caller | undefined | StoreAway>>()
  /** Grows with every change that was told: what was asked before it may be old. */
  #changes = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Whether it was valid within the last minute. */
  isKnown(name: string): boolean {
    const entry = this.#entries.get(name)
    return entry?.loaded !== undefined && this.#ageOf(entry) < GRACE_MS
  }

  /** Undefined: no valid key. `Away`: nobody can tell. */
  async get(name: string, load: Load): Promise<Caller | undefined | StoreAway> {
    const entry = this.#entries.get(name)
    if (entry !== undefined && this.#isFresh(entry)) return entry.loaded?.caller
    return this.#loading.get(name) ?? this.#load(name, load)
  }

  /** Forgets the callers of a key or an account. */
  forget(matches: (caller: Caller) => boolean): void {
    this.#noteChange()
    for (const [name, { loaded }] of this.#entries.entries()) {
      if (loaded !== undefined && matches(loaded.caller)) this.#entries.delete(name)
    }
  }

  forgetAll(): void {
    this.#noteChange()
    this.#entries.clear()
  }

  /** Who asks from now on doesn't join a question that was asked before. */
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
    const askedAtMs = this.#nowMs()
    const changes = this.#changes
    const answer = await load()
    if (answer instanceof StoreAway) return this.#graceFor(name) ?? answer
    const loaded = answer ?? undefined
    // A change told meanwhile may be of this very key: use the answer, which was true a moment ago, but don't keep it.
    if (changes === this.#changes) this.#entries.set(name, { loaded, loadedAtMs: askedAtMs })
    return loaded?.caller
  }

  #graceFor(name: string): Caller | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined || this.#ageOf(entry) >= GRACE_MS || this.#isExpired(entry)) return undefined
    return entry.loaded?.caller
  }

  #isFresh(entry: Entry): boolean {
    if (entry.loaded === undefined) return this.#ageOf(entry) < UNKNOWN_FRESH_MS
    return this.#ageOf(entry) < FRESH_MS && !this.#isExpired(entry)
  }

  #isExpired({ loaded }: Entry): boolean {
    return loaded?.expiresAtMs !== undefined && loaded.expiresAtMs <= this.#nowMs()
  }

  #ageOf(entry: Entry): number {
    return this.#nowMs() - entry.loadedAtMs
  }
}

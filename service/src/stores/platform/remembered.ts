import { setTimeout as sleep } from 'node:timers/promises'
import { forEverybody } from '../engines/waiting-caller.ts'

export interface Memory {
  /** A younger value is returned without computing a new one. */
  readonly freshForMs: number
  /** A younger value is returned when computing a new one fails or takes too long. */
  readonly servesForMs: number
  /** How long a caller waits for a new value before it gets the previous one; default 1000. */
  readonly patienceMs?: number
}

export interface CachedValue<T> {
  readonly value: T
  readonly madeAtMs: number
}

const PATIENCE_MS = 1_000

/** Caches one value that is expensive to compute; concurrent reads share one computation. */
export class Remembered<T> {
  readonly #make: () => Promise<CachedValue<T>>
  readonly #memory: Memory
  #cached: CachedValue<T> | undefined
  #making: Promise<CachedValue<T>> | undefined

  constructor(make: () => Promise<CachedValue<T>>, memory: Memory) {
    this.#make = make
    this.#memory = memory
  }

  /** Throws only when there is no previous value to return. */
  async read(nowMs: number): Promise<CachedValue<T>> {
    const cached = this.#cached
    const ageMs = cached === undefined ? Number.POSITIVE_INFINITY : nowMs - cached.madeAtMs
    if (cached !== undefined && ageMs < this.#memory.freshForMs) return cached
    const making = this.#makeOnce()
    if (cached === undefined || ageMs >= this.#memory.servesForMs) return making
    const done = new AbortController()
    const previous = sleep(this.#memory.patienceMs ?? PATIENCE_MS, cached, { signal: done.signal }).catch(() => cached)
    return Promise.race([making.catch(() => cached), previous]).finally(() => done.abort())
  }

  #makeOnce(): Promise<CachedValue<T>> {
    this.#making ??= forEverybody(this.#make)
      .then((made) => {
        this.#cached = made
        return made
      })
      .finally(() => {
        this.#making = undefined
      })
    return this.#making
  }
}

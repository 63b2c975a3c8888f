import { setTimeout as sleep } from 'node:timers/promises'

export interface Memory {
  /** A younger value is returned without computing a new one. */
  readonly freshForMs: number
  /** A younger value is returned when computing a new one fails or takes too long. */
  readonly servesForMs: number
  /** How long a caller waits for a new value before it gets the previous one; default 1000. */
  readonly patienceMs?: number
}

export interface Kept<T> {
  readonly value: T
  readonly madeAtMs: number
}

const PATIENCE_MS = 1_000

/** Caches one value that is expensive to compute; concurrent reads share one computation. */
export class Remembered<T> {
  readonly #make: () => Promise<T>
  readonly #memory: Memory
  #kept: Kept<T> | undefined
  #making: Promise<Kept<T>> | undefined

  constructor(make: () => Promise<T>, memory: Memory) {
    this.#make = make
    this.#memory = memory
  }

  /** Throws only when there is no previous value to return. */
  async read(nowMs: number): Promise<Kept<T>> {
    const kept = this.#kept
    const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : nowMs - kept.madeAtMs
    if (kept !== undefined && ageMs < this.#memory.freshForMs) return kept
    const making = this.#makeOnce(nowMs)
    if (kept === undefined || ageMs >= this.#memory.servesForMs) return making
    const done = new AbortController()
    const previous = sleep(this.#memory.patienceMs ?? PATIENCE_MS, kept, { signal: done.signal }).catch(() => kept)
    return Promise.race([making.catch(() => kept), previous]).finally(() => done.abort())
  }

  #makeOnce(nowMs: number): Promise<Kept<T>> {
    this.#making ??= this.#make()
      .then((value) => {
        this.#kept = { value, madeAtMs: nowMs }
        return this.#kept
      })
      .finally(() => {
        this.#making = undefined
      })
    return this.#making
  }
}

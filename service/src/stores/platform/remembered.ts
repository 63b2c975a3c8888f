import { setTimeout as sleep } from 'node:timers/promises'

export interface Memory {
  /** For so long the same answer serves everyone. */
  readonly freshForMs: number
  /** For so long the former one serves when no new one can be made. */
  readonly servesForMs: number
  /** Whoever waits longer for a new one gets the former; default 1000. */
  readonly patienceMs?: number
}

export interface Kept<T> {
  readonly value: T
  readonly madeAtMs: number
}

const PATIENCE_MS = 1_000

/** An answer that is costly to make and the same for all who ask. */
export class Remembered<T> {
  readonly #make: () => Promise<T>
  readonly #memory: Memory
  #kept: Kept<T> | undefined
  #making: Promise<Kept<T>> | undefined

  constructor(make: () => Promise<T>, memory: Memory) {
    this.#make = make
    this.#memory = memory
  }

  /** Throws only when there is nothing to fall back on. */
  async read(nowMs: number): Promise<Kept<T>> {
    const kept = this.#kept
    const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : nowMs - kept.madeAtMs
    if (kept !== undefined && ageMs < this.#memory.freshForMs) return kept
    const making = this.#makeOnce(nowMs)
    if (kept === undefined || ageMs >= this.#memory.servesForMs) return making
    const enough = new AbortController()
    const former = sleep(this.#memory.patienceMs ?? PATIENCE_MS, kept, { signal: enough.signal }).catch(() => kept)
    return Promise.race([making.catch(() => kept), former]).finally(() => enough.abort())
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

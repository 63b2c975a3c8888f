import { setTimeout as sleep } from 'node:timers/promises'
import type { SignedCallback } from './callback-text.ts'

/** What may go wrong on the way from a processor to us. */
export interface DeliveryFaults {
  /** Never sent, as if the network had swallowed them. */
  lose: boolean
  /** Sent so many times. */
  copies: number
  delayMs: number
  /** Those of one moment arrive in the wrong order. */
  reorder: boolean
}

const NO_FAULTS: DeliveryFaults = { lose: false, copies: 1, delayMs: 0, reorder: false }
const ANSWER_WITHIN_MS = 3_000
const GATHER_MS = 50

/** Carries callbacks, and carries again what was not answered with 2xx, as the processors do. */
export class CallbackPost {
  readonly #stop = new AbortController()
  readonly #underway = new Set<Promise<void>>()
  #gathered: (() => Promise<void>)[] = []
  faults: DeliveryFaults = { ...NO_FAULTS }
  /** How much shorter than at the processors the waits between tries are. */
  haste = 1
  /** Answers by status; 0 for none. */
  readonly answers = new Map<number, number>()

  /** `make` is called for each try, because a new delivery is not the same bytes. */
  send(make: (tryNumber: number) => SignedCallback | undefined, waitsMs: readonly number[]): void {
    const { lose, copies, delayMs, reorder } = this.faults
    if (lose) return
    for (let copy = 0; copy < copies; copy++) {
      const deliver = async (): Promise<void> => {
        await this.#rest(delayMs)
        await this.#deliver(make, waitsMs)
      }
      if (reorder) this.#gather(deliver)
      else this.#run(deliver)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#underway)
  }

  /** Backwards, one after the other. */
  #gather(deliver: () => Promise<void>): void {
    this.#gathered.push(deliver)
    if (this.#gathered.length > 1) return
    this.#run(async () => {
      await this.#rest(GATHER_MS)
      const all = this.#gathered.toReversed()
      this.#gathered = []
      for (const each of all) await each()
    })
  }

  #run(work: () => Promise<void>): void {
    const running = work()
      .catch(() => {})
      .finally(() => this.#underway.delete(running))
    this.#underway.add(running)
  }

  async #deliver(make: (tryNumber: number) => SignedCallback | undefined, waitsMs: readonly number[]): Promise<void> {
    for (const [index, waitMs] of [0, ...waitsMs].entries()) {
      await this.#rest(waitMs / this.haste)
      const callback = make(index + 1)
      if (callback === undefined) return
      const status = await this.#try(callback)
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
      if (status >= 200 && status < 300) return
    }
  }

  async #try({ url, body, headers }: SignedCallback): Promise<number> {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      })
      await answer.arrayBuffer()
      return answer.status
    } catch {
      this.#stop.signal.throwIfAborted()
      return 0
    }
  }

  async #rest(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#stop.signal })
  }
}

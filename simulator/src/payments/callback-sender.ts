import { setTimeout as sleep } from 'node:timers/promises'
import type { SignedCallback } from './callback-text.ts'

/** Failures of the delivery of callbacks. */
export interface DeliveryFaults {
  /** Callbacks are not sent. */
  lose: boolean
  /** How many times each callback is sent. */
  copies: number
  delayMs: number
  /** Callbacks of the same moment arrive in reverse order. */
  reorder: boolean
}

const NO_FAULTS: DeliveryFaults = { lose: false, copies: 1, delayMs: 0, reorder: false }
const ANSWER_WITHIN_MS = 3_000
const GATHER_MS = 50

/** Sends callbacks, and retries those not answered with 2xx, as the real processors do. */
export class CallbackSender {
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #gathered: (() => Promise<void>)[] = []
  faults: DeliveryFaults = { ...NO_FAULTS }
  /** Factor by which retry delays are shorter than at the real processors. */
  speedUp = 1
  /** Number of responses by status; 0 counts missing responses. */
  readonly answers = new Map<number, number>()

  /** `make` is called for each attempt, because every delivery has different bytes. */
  send(
    make: (tryNumber: number) => SignedCallback | undefined,
    waitsMs: readonly number[],
    onAnswer: (status: number) => void = () => {},
  ): void {
    const { lose, copies, delayMs, reorder } = this.faults
    if (lose) return
    for (let copy = 0; copy < copies; copy++) {
      const deliver = async (): Promise<void> => {
        await this.#pause(delayMs)
        await this.#deliver(make, waitsMs, onAnswer)
      }
      if (reorder) this.#gather(deliver)
      else this.#run(deliver)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  /** Collects callbacks for a moment and sends them in reverse order. */
  #gather(deliver: () => Promise<void>): void {
    this.#gathered.push(deliver)
    if (this.#gathered.length > 1) return
    this.#run(async () => {
      await this.#pause(GATHER_MS)
      const all = this.#gathered.toReversed()
      this.#gathered = []
      for (const each of all) await each()
    })
  }

  #run(work: () => Promise<void>): void {
    const running = work()
      .catch(() => {})
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #deliver(
    make: (tryNumber: number) => SignedCallback | undefined,
    waitsMs: readonly number[],
    onAnswer: (status: number) => void,
  ): Promise<void> {
    for (const [index, waitMs] of [0, ...waitsMs].entries()) {
      await this.#pause(waitMs / this.speedUp)
      const callback = make(index + 1)
      if (callback === undefined) return
      const status = await this.#try(callback)
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
      onAnswer(status)
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

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#stop.signal })
  }
}

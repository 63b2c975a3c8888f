import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { storedSubject } from './subjects.ts'
import { machineTimer, type Timer } from './timer.ts'

/** What the bus has stored of a shard in the last seconds. */
export interface StoredBatches {
  follow(shard: string): void
  leave(shard: string): void
  /** Messages of the shard, oldest first. */
  of(shard: string): readonly Uint8Array[]
}

interface Stored {
  readonly data: Uint8Array
  readonly storedAtMs: number
}

/** Longer than a standby keeps samples, so that it knows for each of them whether its row is stored. */
const KEPT_MS = 20_000

/**
 * The stream sends every message again on a second subject once it is stored. A subscription of the first subject
 * would also get messages that the stream refuses.
 */
export class NatsStoredBatches implements StoredBatches {
  readonly #connection: NatsConnection
  readonly #timer: Timer
  readonly #followed = new Map<string, { subscription: Subscription; stored: Stored[] }>()

  constructor(connection: NatsConnection, timer = machineTimer) {
    this.#connection = connection
    this.#timer = timer
  }

  follow(shard: string): void {
    if (this.#followed.has(shard)) return
    const stored: Stored[] = []
    const callback = (error: Error | null, message: { data: Uint8Array }): void => {
      if (error !== null) return
      const nowMs = this.#timer.monotonicMs()
      stored.push({ data: message.data, storedAtMs: nowMs })
      while ((stored[0]?.storedAtMs ?? nowMs) < nowMs - KEPT_MS) stored.shift()
    }
    this.#followed.set(shard, { subscription: this.#connection.subscribe(storedSubject(shard), { callback }), stored })
  }

  leave(shard: string): void {
    this.#followed.get(shard)?.subscription.unsubscribe()
    this.#followed.delete(shard)
  }

  of(shard: string): readonly Uint8Array[] {
    return (this.#followed.get(shard)?.stored ?? []).map(({ data }) => data)
  }
}

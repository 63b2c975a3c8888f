import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { type Batch, BrokenBatch, decodeBatch } from './batch.ts'
import { NewerSchemas } from './newer-schemas.ts'
import { rowsSubject } from './subjects.ts'

export interface ShardFeedDeps {
  readonly onBatch: (batch: Batch) => void
  readonly onProblem: (error: Error) => void
}

/** The batches of chosen shards as they are published; batches published while disconnected are missed. */
export class ShardFeed {
  readonly #deps: ShardFeedDeps
  readonly #newerSchemas: NewerSchemas
  readonly #wanted = new Map<string, Subscription | undefined>()
  readonly #attached = Promise.withResolvers<NatsConnection>()
  readonly #taken = new Map<string, number>()
  #connection: NatsConnection | undefined

  constructor(deps: ShardFeedDeps) {
    this.#deps = deps
    this.#newerSchemas = new NewerSchemas(deps.onProblem)
  }

  /** Also subscribes the shards that were wanted before NATS was connected. */
  attach(connection: NatsConnection): void {
    this.#connection = connection
    this.#attached.resolve(connection)
    for (const shard of this.#wanted.keys()) this.#subscribe(shard)
  }

  isWanted(shard: string): boolean {
    return this.#wanted.has(shard)
  }

  /** The number of the last batch of the shard that was taken. */
  lastOf(shard: string): number | undefined {
    return this.#taken.get(shard)
  }

  /** Resolves when NATS knows every shard that is wanted now, and all that it sent before has arrived. */
  async subscribed(): Promise<void> {
    await (await this.#attached.promise).flush()
  }

  want(shard: string): void {
    if (this.#wanted.has(shard)) return
    this.#wanted.set(shard, undefined)
    this.#subscribe(shard)
  }

  leave(shard: string): void {
    this.#wanted.get(shard)?.unsubscribe()
    this.#wanted.delete(shard)
  }

  #subscribe(shard: string): void {
    const subscription = this.#connection?.subscribe(rowsSubject(shard), {
      callback: (error, message) => {
        if (error === null) this.#take(message.data)
      },
    })
    this.#wanted.set(shard, subscription)
  }

  #take(data: Uint8Array): void {
    try {
      const batch = decodeBatch(data)
      this.#newerSchemas.check(batch)
      this.#deps.onBatch(batch)
      this.#taken.set(batch.shard, batch.n)
    } catch (error) {
      if (!(error instanceof BrokenBatch)) throw error
      this.#deps.onProblem(error)
    }
  }
}

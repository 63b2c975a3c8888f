import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisConnection, RedisUnavailable } from '../engines/redis-connection.ts'
import { type CachedValue, type Memory, Remembered } from './remembered.ts'

export interface SharedValueOptions<T> extends Memory {
  readonly name: string
  /** The value must be the same after it was written as JSON and read again. */
  readonly make: () => Promise<T>
}

/** Raise it when one of the values changes its form: during an upgrade two versions use the same Redis. */
const FORM = 1
/** A process that computes for longer may be dead, so another one computes too. */
const MAKER_FOR_MS = 30_000
const LOOK_EVERY_MS = 100

/** Caches a value in this process and in Redis. */
export function rememberShared<T>(redis: Pick<RedisConnection, 'ask'>, options: SharedValueOptions<T>): Remembered<T> {
  const shared = new SharedValue(redis, options)
  return new Remembered(() => shared.read(), options)
}

/** A value that one process computes and all read, through Redis. Without Redis each process computes its own. */
export class SharedValue<T> {
  readonly #redis: Pick<RedisConnection, 'ask'>
  readonly #options: SharedValueOptions<T>
  readonly #key: string
  readonly #makerKey: string

  constructor(redis: Pick<RedisConnection, 'ask'>, options: SharedValueOptions<T>) {
    this.#redis = redis
    this.#options = options
    this.#key = `public:${FORM}:${options.name}`
    this.#makerKey = `${this.#key}:maker`
  }

  /** Waits for the process that computes the value only when there is no older one. */
  async read(): Promise<CachedValue<T>> {
    for (;;) {
      const found = await this.#found()
      if (found !== undefined && Date.now() - found.madeAtMs < this.#options.freshForMs) return found
      if (await this.#isMaker()) return this.#make()
      if (found !== undefined) return found
      await sleep(LOOK_EVERY_MS)
    }
  }

  /** The age is told by Redis, because the clocks of two machines differ. */
  async #found(): Promise<CachedValue<T> | undefined> {
    const [text, leftMs] = await this.#ask<[string | null, number]>([null, 0], async (client) => [
      await client.get(this.#key),
      await client.pTTL(this.#key),
    ])
    if (text === null || leftMs <= 0) return undefined
    return { value: JSON.parse(text) as T, madeAtMs: Date.now() - (this.#options.servesForMs - leftMs) }
  }

  async #isMaker(): Promise<boolean> {
    const expiration = { type: 'PX', value: MAKER_FOR_MS } as const
    const set = await this.#ask('OK', (client) => client.set(this.#makerKey, '1', { condition: 'NX', expiration }))
    return set === 'OK'
  }

  async #make(): Promise<CachedValue<T>> {
    const madeAtMs = Date.now()
    try {
      const value = await this.#options.make()
      const expiration = { type: 'PX', value: this.#options.servesForMs } as const
      await this.#ask(null, (client) => client.set(this.#key, JSON.stringify(value), { expiration }))
      return { value, madeAtMs }
    } finally {
      await this.#ask(0, (client) => client.del(this.#makerKey))
    }
  }

  async #ask<Reply>(away: Reply, command: Parameters<RedisConnection['ask']>[0]): Promise<Reply> {
    try {
      return (await this.#redis.ask(command)) as Reply
    } catch (error) {
      if (error instanceof RedisUnavailable) return away
      throw error
    }
  }
}

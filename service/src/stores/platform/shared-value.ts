import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Clock, wallClock } from '../../domain/clock.ts'
import type { RedisConnection } from '../engines/redis-connection.ts'
import { RedisScript } from '../engines/redis-script.ts'
import { type CachedValue, type Memory, Remembered } from './remembered.ts'

export interface SharedValueOptions<T> extends Memory {
  readonly name: string
  /** The value must be the same after it was written as JSON and read again. */
  readonly make: () => Promise<T>
  /** Default: that of the machine. */
  readonly nowMs?: Clock
}

/** Raise it when one of the values changes its form: during an upgrade two versions use the same Redis. */
const FORM = 1
/** A process that computes for longer may be dead, so another one computes too. */
const MAKER_FOR_MS = 30_000
const LOOK_EVERY_MS = 100

/** A value is stored only by the process that still is the one to compute it. */
const FINISH = new RedisScript<number>(`
  if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
  if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
  return redis.call('DEL', KEYS[2])
`)

const Stored = z.object({ tookMs: z.number().nonnegative(), value: z.unknown() })

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
  readonly #nowMs: Clock

  constructor(redis: Pick<RedisConnection, 'ask'>, options: SharedValueOptions<T>) {
    this.#redis = redis
    this.#options = options
    this.#nowMs = options.nowMs ?? wallClock
    this.#key = `public:{${options.name}}:${FORM}`
    this.#makerKey = `${this.#key}:maker`
  }

  /** Waits for the process that computes the value only when there is no older one. */
  async read(): Promise<CachedValue<T>> {
    const untilMs = performance.now() + MAKER_FOR_MS
    for (;;) {
      const found = await this.#found()
      if (found !== undefined && this.#nowMs() - found.madeAtMs < this.#options.freshForMs) return found
      const token = randomUUID()
      if ((await this.#isMaker(token)) || performance.now() > untilMs) return this.#make(token, found)
      if (found !== undefined) return found
      await sleep(LOOK_EVERY_MS)
    }
  }

  /** The age is told by Redis, because the clocks of two machines differ. */
  async #found(): Promise<CachedValue<T> | undefined> {
    const { servesForMs } = this.#options
    const [text, leftMs] = await this.#ask<[string | null, number]>([null, 0], async (client) => [
      await client.get(this.#key),
      await client.pTTL(this.#key),
    ])
    if (text === null || leftMs <= 0 || leftMs > servesForMs) return undefined
    try {
      const { tookMs, value } = Stored.parse(JSON.parse(text))
      return { value: value as T, madeAtMs: this.#nowMs() - (servesForMs - leftMs) - tookMs }
    } catch {
      // Something else has written the key; it is computed anew.
      return undefined
    }
  }

  async #isMaker(token: string): Promise<boolean> {
    const expiration = { type: 'PX', value: MAKER_FOR_MS } as const
    const set = await this.#ask('OK', (client) => client.set(this.#makerKey, token, { condition: 'NX', expiration }))
    return set === 'OK'
  }

  async #make(token: string, found: CachedValue<T> | undefined): Promise<CachedValue<T>> {
    const madeAtMs = this.#nowMs()
    try {
      const value = await this.#options.make()
      await this.#finish(token, JSON.stringify({ tookMs: this.#nowMs() - madeAtMs, value }))
      return { value, madeAtMs }
    } catch (error) {
      await this.#finish(token, '')
      if (found !== undefined) return found
      throw error
    }
  }

  async #finish(token: string, text: string): Promise<void> {
    const operands = [token, text, String(this.#options.servesForMs)]
    await this.#ask(0, (client) => FINISH.run(client, [this.#key, this.#makerKey], operands))
  }

  /** Whatever is wrong with Redis, the value can be computed without it. */
  async #ask<Reply>(away: Reply, command: Parameters<RedisConnection['ask']>[0]): Promise<Reply> {
    try {
      return (await this.#redis.ask(command)) as Reply
    } catch {
      return away
    }
  }
}

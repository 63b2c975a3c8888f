import { createHash } from 'node:crypto'
import { ErrorReply, type RedisArgument } from '@redis/client'
import { type RedisClient, sendFor } from './redis-client.ts'

/** A Lua script. All keys of a call must have the same hash tag, unless `inOneSlot` has put them together. */
export class RedisScript<Reply = unknown> {
  readonly #source: string
  readonly #sha: string

  constructor(source: string) {
    this.#source = source
    this.#sha = createHash('sha1').update(source).digest('hex')
  }

  async run(client: RedisClient, keys: readonly string[], operands: readonly RedisArgument[]): Promise<Reply> {
    const rest = [String(keys.length), ...keys, ...operands]
    const [firstKey = ''] = keys
    try {
      return await sendFor<Reply>(client, firstKey, ['EVALSHA', this.#sha, ...rest])
    } catch (error) {
      // A restart of Redis empties its script cache.
      if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error
      return sendFor<Reply>(client, firstKey, ['EVAL', this.#source, ...rest])
    }
  }
}

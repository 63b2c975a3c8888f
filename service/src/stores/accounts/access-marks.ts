import type { RedisConnection } from '../engines/redis-connection.ts'
import { revocationKey } from './rate-limits.ts'

export interface Marked {
  readonly keyIds: ReadonlySet<string>
  readonly accountIds: ReadonlySet<string>
}

/** Longer than a node needs to notice that it has lost PostgreSQL and to read the marks. */
const CHANGE_MARK_SECONDS = 30

/** What a node that has lost PostgreSQL can learn from Redis about revoked keys and changed accounts. Methods throw `RedisUnavailable` instead of waiting for Redis. */
export class AccessMarks {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  async markChanged(accountId: string): Promise<void> {
    await this.#redis.ask((client) =>
      client.set(changeKey(accountId), '1', { expiration: { type: 'EX', value: CHANGE_MARK_SECONDS } }),
    )
  }

  async marked(keyIds: readonly string[], accountIds: readonly string[]): Promise<Marked> {
    const names = [...keyIds.map(revocationKey), ...accountIds.map(changeKey)]
    const marks = await this.#redis.ask((client) => client.mGet(names))
    return {
      keyIds: new Set(keyIds.filter((_, index) => marks[index] !== null)),
      accountIds: new Set(accountIds.filter((_, index) => marks[keyIds.length + index] !== null)),
    }
  }
}

function changeKey(accountId: string): string {
  return `changed:${accountId}`
}

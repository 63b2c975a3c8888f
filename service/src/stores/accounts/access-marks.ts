import type { RedisConnection } from '../engines/redis-connection.ts'
import { revocationKey } from './rate-limits.ts'

export interface KeyOfAccount {
  readonly keyId: string
  readonly accountId: string
}

export interface Marked {
  readonly revokedKeyIds: ReadonlySet<string>
  /** By account id. */
  readonly changedAgoMs: ReadonlyMap<string, number>
}

/** Longer than a node needs to notice that it has lost PostgreSQL and to read the marks. */
const CHANGE_MARK_MS = 30_000

/** What a node that has lost PostgreSQL can learn from Redis about revoked keys and changed accounts. Methods throw `RedisUnavailable` instead of waiting for Redis. */
export class AccessMarks {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  async markChanged(accountId: string): Promise<void> {
    await this.#redis.ask((client) =>
      client.set(changeKey(accountId), '1', { expiration: { type: 'PX', value: CHANGE_MARK_MS } }),
    )
  }

  async marked(keys: readonly KeyOfAccount[]): Promise<Marked> {
    const accountIds = [...new Set(keys.map(({ accountId }) => accountId))]
    const [revocations, changesLeftMs] = await this.#redis.ask((client) =>
      Promise.all([
        Promise.all(keys.map(({ accountId, keyId }) => client.exists(revocationKey(accountId, keyId)))),
        Promise.all(accountIds.map((accountId) => client.pTTL(changeKey(accountId)))),
      ]),
    )
    const changedAgoMs = new Map<string, number>()
    accountIds.forEach((accountId, index) => {
      const leftMs = changesLeftMs[index] ?? -1
      if (leftMs >= 0) changedAgoMs.set(accountId, CHANGE_MARK_MS - leftMs)
    })
    const revoked = keys.filter((_, index) => revocations[index] === 1)
    return { revokedKeyIds: new Set(revoked.map(({ keyId }) => keyId)), changedAgoMs }
  }
}

function changeKey(accountId: string): string {
  return `changed:{${accountId}}`
}

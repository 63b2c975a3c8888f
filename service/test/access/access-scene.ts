import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { copyMigratedDatabase } from '@bookreel/testbed/stacks/migrated-database'
import { vi } from 'vitest'
import { AccessControl, type AccessControlDeps } from '../../src/access/access-control.ts'
import { type IssuedKey, issueKey, type KeyRequest } from '../../src/access/issue-key.ts'
import { Peppers } from '../../src/access/peppers.ts'
import { ApiError } from '../../src/domain/api-error.ts'
import type { Tier } from '../../src/domain/tier.ts'
import { type Account, Accounts } from '../../src/stores/accounts/accounts.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { RateLimits } from '../../src/stores/accounts/rate-limits.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'

export const PEPPER = 'a pepper for tests, long enough to be one'

/** A private PostgreSQL and Redis, and access control over them. */
export class AccessScene implements AsyncDisposable {
  readonly stack: Stack
  readonly database: Database
  readonly redis: RedisConnection
  readonly accounts: Accounts
  readonly keys: Keys
  readonly ledger: CreditLedger
  readonly rateLimits: RateLimits
  readonly peppers = new Peppers(PEPPER)
  /** Moves the clock of every AccessControl. */
  aheadMs = 0

  private constructor(stack: Stack, database: Database, redis: RedisConnection) {
    this.stack = stack
    this.database = database
    this.redis = redis
    this.accounts = new Accounts(database)
    this.keys = new Keys(database)
    this.ledger = new CreditLedger(database)
    this.rateLimits = new RateLimits(redis)
  }

  static async open({ redisAnswersWithinMs = 5_000, postgresAnswersWithinMs = 20_000 } = {}): Promise<AccessScene> {
    const stack = await borrowStack({ engines: ['postgres', 'redis'] })
    await copyMigratedDatabase(stack)
    const database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: postgresAnswersWithinMs })
    const redis = new RedisConnection({ url: stack.variable('REDIS_URL'), answerWithinMs: redisAnswersWithinMs })
    await migratePostgres(database)
    const scene = new AccessScene(stack, database, redis)
    await scene.untilRedisReady()
    return scene
  }

  async untilRedisReady(redis = this.redis): Promise<void> {
    await vi.waitUntil(() => redis.isReady, { timeout: 120_000, interval: 10 })
  }

  /** With exactly these credits. */
  async newAccount(tier: Tier = 'pro', credits = 0): Promise<Account> {
    const { id } = await this.accounts.create('someone')
    if (tier !== 'free') {
      await this.accounts.setTier(id, { tier, monthlyCredits: 0 })
      const before = (await this.ledger.spendable(id))?.balance ?? 0
      if (before > 0) await this.ledger.grant({ accountId: id, credits: -before, kind: 'adjustment', idem: 'empty' })
    }
    if (credits > 0) await this.ledger.grant({ accountId: id, credits, kind: 'payment', idem: 'pay:test:1' })
    const account = await this.accounts.find(id)
    if (account === undefined) throw new Error('the account is gone')
    return account
  }

  newKey(accountId: string, choices: Omit<KeyRequest, 'accountId' | 'label'> = {}): Promise<IssuedKey> {
    return issueKey(this, { accountId, label: 'test', ...choices })
  }

  newAccessControl(changes: Partial<AccessControlDeps> = {}): AccessControl {
    const { keys, ledger, rateLimits, peppers } = this
    const nowMs = () => performance.timeOrigin + performance.now() + this.aheadMs
    return new AccessControl({ keys, ledger, rateLimits, peppers, nowMs, ...changes })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.redis.close()
    await this.database.destroy()
    await this.stack.stop()
  }
}

/** The API error that a call is rejected with. */
export async function faultOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    (answer) => new Error(`no fault but ${JSON.stringify(answer)}`),
    (caught: unknown) => caught,
  )
  if (error instanceof ApiError) return error
  throw error
}

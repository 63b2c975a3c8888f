import { setTimeout as sleep } from 'node:timers/promises'
import { AccessControl } from '../access/access-control.ts'
import { LiveNodes } from '../access/live-nodes.ts'
import { operatorRule } from '../access/operator-rule.ts'
import { Peppers } from '../access/peppers.ts'
import { runRevocations } from '../access/revocations.ts'
import { Seal } from '../access/seal.ts'
import { Sessions, SIGN_IN_COOKIE } from '../access/sessions.ts'
import type { Config } from '../config.ts'
import { type Clock, wallClock } from '../domain/clock.ts'
import { AccessMarks } from '../stores/accounts/access-marks.ts'
import { Accounts } from '../stores/accounts/accounts.ts'
import { Keys } from '../stores/accounts/keys.ts'
import { RateLimits } from '../stores/accounts/rate-limits.ts'
import { SessionStore } from '../stores/accounts/sessions.ts'
import { Usage } from '../stores/accounts/usage.ts'
import { type Database, openDatabase } from '../stores/engines/postgres-database.ts'
import { RedisConnection } from '../stores/engines/redis-connection.ts'
import { CreditLedger } from '../stores/money/credit-ledger.ts'
import { STORE_LIMITS } from './store-limits.ts'

const COUNT_NODES_EVERY_MS = 1_000

export interface Access {
  readonly database: Database
  readonly accounts: Accounts
  readonly keys: Keys
  readonly ledger: CreditLedger
  readonly rateLimits: RateLimits
  readonly peppers: Peppers
  readonly accessControl: AccessControl
  readonly nodes: LiveNodes
  readonly sessions: Sessions
  readonly onTrouble: (error: unknown) => void
  /** Listens for revoked keys and refunds undelivered responses until the signal; for processes that serve requests. */
  run(signal: AbortSignal): Promise<void>
  /** Waits a short time for the connection to Redis. */
  untilRedisReady(): Promise<void>
  close(): Promise<void>
}

/** Opens authentication, accounts, keys, sessions and credits. */
export function openAccess(
  config: Config,
  onTrouble: (error: unknown) => void,
  limits = STORE_LIMITS,
  nowMs: Clock = wallClock,
): Access {
  const { KEY_PEPPER, KEY_PEPPER_FORMER, NODE_COUNT, DATABASE_URL, REDIS_URL } = config
  if (KEY_PEPPER === undefined) throw new Error('KEY_PEPPER is not set; it is needed to check and create API keys')
  const database = openDatabase({ url: DATABASE_URL, answerWithinMs: limits.postgresMs, onTrouble })
  const redis = new RedisConnection({ url: REDIS_URL, answerWithinMs: limits.rateLimitMs, onTrouble })
  const sessionRedis = new RedisConnection({ url: REDIS_URL, answerWithinMs: limits.sessionMs, onTrouble })
  const keys = new Keys(database)
  const ledger = new CreditLedger(database)
  const rateLimits = new RateLimits(redis)
  const peppers = new Peppers(KEY_PEPPER, KEY_PEPPER_FORMER)
  const usage = new Usage(database)
  const nodes = new LiveNodes(NODE_COUNT, nowMs)
  const accessControl = new AccessControl({
    keys,
    ledger,
    rateLimits,
    peppers,
    usage,
    nodeCount: () => nodes.count(),
    clock: nowMs,
    onTrouble,
  })
  return {
    database,
    accounts: new Accounts(database),
    keys,
    ledger,
    rateLimits,
    peppers,
    accessControl,
    nodes,
    sessions: new Sessions({
      store: new SessionStore(sessionRedis),
      seal: new Seal(peppers, SIGN_IN_COOKIE),
      operatorOf: operatorRule(config.OPERATOR_CLAIM),
    }),
    onTrouble,
    async run(signal) {
      // Remembers the last number before heartbeats are lost.
      const timer = setInterval(() => nodes.count(), COUNT_NODES_EVERY_MS)
      signal.addEventListener('abort', () => clearInterval(timer), { once: true })
      await Promise.all([
        runRevocations({ databaseUrl: DATABASE_URL, accessControl, marks: new AccessMarks(redis), onTrouble }, signal),
        accessControl.runUndoing(signal),
      ])
    },
    async untilRedisReady() {
      const untilMs = performance.now() + limits.redisConnectMs
      const areReady = () => redis.isReady && sessionRedis.isReady
      while (!areReady() && performance.now() < untilMs) await sleep(10)
    },
    async close() {
      await accessControl.close()
      await redis.close()
      await sessionRedis.close()
      await database.destroy()
    },
  }
}

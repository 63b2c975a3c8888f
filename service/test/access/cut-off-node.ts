import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { RateLimits } from '../../src/stores/accounts/rate-limits.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import type { AccessScene } from './access-scene.ts'
import { StoreLine } from './store-line.ts'

export type Line = 'postgres' | 'redis' | 'notices'

export const PATIENCE_MS = 60_000

/** A node whose connections to the stores can be cut one by one. Its clock stands until the test moves it. */
export async function openCutOffNode(scene: AccessScene) {
  await using opened = new AsyncDisposableStack()
  const open = async (variable: string) => opened.use(await StoreLine.to(scene.stack.variable(variable)))
  const lines = {
    postgres: await open('DATABASE_URL'),
    redis: await open('REDIS_URL'),
    notices: await open('DATABASE_URL'),
  }
  const database = openDatabase({ url: lines.postgres.url, answerWithinMs: PATIENCE_MS })
  opened.defer(() => database.destroy())
  const redis = opened.use(new RedisConnection({ url: lines.redis.url, answerWithinMs: PATIENCE_MS }))
  await scene.untilRedisReady(redis)
  const clock = { nowMs: 0 }
  const keys = new Keys(database)
  const accessControl = scene.newAccessControl({
    keys,
    ledger: new CreditLedger(database),
    rateLimits: new RateLimits(redis),
    nowMs: () => clock.nowMs,
  })
  const all = opened.move()
  return {
    ...{ clock, keys, accessControl, noticesUrl: lines.notices.url, marks: new AccessMarks(redis) },
    cut(...names: readonly Line[]): void {
      for (const name of names) lines[name].cut()
    },
    onDispose: (end: () => Promise<void>) => all.defer(end),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

import { vi } from 'vitest'
import type { RedisConnection } from '../../src/stores/engines/redis-connection.ts'

export async function untilReady(redis: RedisConnection): Promise<void> {
  await vi.waitUntil(() => redis.isReady, { timeout: 120_000, interval: 10 })
}

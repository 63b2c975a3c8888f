import { setTimeout as sleep } from 'node:timers/promises'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { sql } from 'kysely'
import { DeadLetterCount } from '../bus/dead-letter-count.ts'
import { HeartbeatBoard } from '../bus/heartbeat-board.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock.ts'
import { ErrorGrowth } from '../domain/error-counters.ts'
import { pipelineState } from '../domain/health.ts'
import { sumOf } from '../domain/heartbeat.ts'
import type { Stores } from '../endpoints/stores.ts'
import type { NewestRows } from '../stores/books/newest-rows.ts'
import type { ClickHouseReads } from '../stores/engines/clickhouse-reader.ts'
import { type Database, openDatabase } from '../stores/engines/postgres-database.ts'
import type { RedisConnection } from '../stores/engines/redis-connection.ts'
import { Health } from '../stores/platform/health.ts'
import { Platform } from '../stores/platform/platform.ts'
import { platformStatsStore } from '../stores/platform/platform-stats.ts'
import { ProbeHours } from '../stores/platform/probe-hours.ts'
import { rememberShared } from '../stores/platform/shared-value.ts'
import { openBus, readerLogin } from './engines.ts'

export interface Watched {
  readonly config: Config
  readonly clickhouse: ClickHouseReads
  readonly redis: RedisConnection
  readonly database: Database
  readonly newestRows: NewestRows
  readonly nowMs: Clock
  readonly onTrouble: (error: unknown) => void
}

export interface Watch
  extends Pick<Stores, 'deadLetters' | 'errorGrowth' | 'health' | 'heartbeats' | 'platform' | 'uptime'> {
  readonly close: () => Promise<void>
}

const POSTGRES_ANSWERS_WITHIN_MS = 900
const UPTIME_CACHE = { freshForMs: 5_000, servesForMs: 3_600_000 }
const ERROR_WINDOW_MS = 600_000
const LOOK_FOR_ERRORS_EVERY_MS = 10_000
/** Every row passes through these roles. */
const RECORDING_ROLES = ['capture', 'archive', 'hot']

/** Starts the health checks and reads heartbeats until it is closed. */
export function openWatch({ config, clickhouse, redis, database, newestRows, nowMs, onTrouble }: Watched): Watch {
  const stop = new AbortController()
  const heartbeats = new HeartbeatBoard(nowMs)
  const { analytics, accounts } = openProbes(config)
  const health = new Health(
    {
      async analytics_store(signal) {
        const { stream } = await analytics.exec({ query: 'SELECT 1', abort_signal: signal })
        for await (const _ of stream);
        return 'ok'
      },
      async cache() {
        await redis.ask((client) => client.ping())
        return 'ok'
      },
      async pipeline() {
        const [isBusUp, newest] = await Promise.all([
          heartbeats.isBusUp(),
          newestRows.recent(1).then(
            ([row]) => row?.slotAtMs ?? 0,
            () => undefined,
          ),
        ])
        return pipelineOf(heartbeats, isBusUp, newest, nowMs())
      },
      async websocket() {
        // Without NATS, streams are read from the store with a delay.
        if (config.STREAM_IN_API) return (await heartbeats.isBusUp()) ? 'ok' : 'degraded'
        const isServed = heartbeats.current(nowMs()).some(({ roles }) => roles.includes('gateway'))
        return isServed ? 'ok' : 'down'
      },
      async accounts() {
        await sql`SELECT 1`.execute(accounts)
        return 'ok'
      },
    },
    nowMs,
  )
  const connect = () => openBus(config, 'heartbeats')
  const errorGrowth = new ErrorGrowth(ERROR_WINDOW_MS)
  const deadLetters = new DeadLetterCount(() => openBus(config, 'dead-letter-count'))
  const running = Promise.all([
    health.run(stop.signal),
    heartbeats.run({ connect, onTrouble }, stop.signal),
    observeErrors(errorGrowth, heartbeats, nowMs, stop.signal),
  ])
  running.catch(onTrouble)
  const probes = new ProbeHours(database)
  return {
    health,
    heartbeats,
    errorGrowth,
    deadLetters,
    platform: new Platform(platformStatsStore(clickhouse), redis, nowMs),
    uptime: rememberShared(redis, {
      name: 'uptime',
      ...UPTIME_CACHE,
      nowMs,
      make: async () => Object.fromEntries(await probes.uptime(nowMs())),
    }),
    async close() {
      stop.abort()
      await running.catch(() => {})
      await Promise.all([accounts.destroy(), analytics.close(), deadLetters.close()])
    },
  }
}

async function observeErrors(
  growth: ErrorGrowth,
  board: HeartbeatBoard,
  nowMs: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    growth.observe(board.current(nowMs()), nowMs())
    await sleep(LOOK_FOR_ERRORS_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Separate connections, so that a busy pool does not look like an outage. */
function openProbes(config: Config): { analytics: ClickHouseClient; accounts: Database } {
  const { CLICKHOUSE_URL: url, DATABASE_URL } = config
  return {
    // Health reports outages already, so the client does not log them.
    analytics: createClient({
      url,
      ...readerLogin(config),
      max_open_connections: 2,
      log: { level: ClickHouseLogLevel.OFF },
    }),
    accounts: openDatabase({ url: DATABASE_URL, maxConnections: 1, answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS }),
  }
}

function pipelineOf(board: HeartbeatBoard, isBusUp: boolean, newestRowMs: number | undefined, nowMs: number) {
  const roles = new Set(board.current(nowMs).flatMap(({ roles }) => roles))
  return pipelineState({
    isBusUp,
    newestRowAgeMs: newestRowMs === undefined ? undefined : nowMs - newestRowMs,
    isCapturing: board.rates(nowMs).some((rates) => sumOf(rates, 'capture_rows_total') > 0),
    isRoleMissing: roles.size > 0 && !RECORDING_ROLES.every((role) => roles.has(role)),
  })
}

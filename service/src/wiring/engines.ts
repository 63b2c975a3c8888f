import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectBus } from '../bus/connect.ts'
import type { Config } from '../config.ts'
import type { ClickHouseForm } from '../stores/engines/clickhouse-form.ts'
import { ClickHouseReader } from '../stores/engines/clickhouse-reader.ts'

const MOST_MEMORY_BYTES = 2_000_000_000

const READ_NICENESS = 10
const ANSWERS_WITHIN_MS = 30_000

export function openBus(config: Config, name: string): Promise<NatsConnection> {
  const { NATS_URL, NATS_USER = '', NATS_PASSWORD = '' } = config
  return connectBus({ url: NATS_URL, user: NATS_USER, password: NATS_PASSWORD }, name)
}

export function openClickHouse(
  config: Config,
  url = config.CLICKHOUSE_URL,
  answerWithinMs = ANSWERS_WITHIN_MS,
): ClickHouseClient {
  return createClient({
    url,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database: config.CLICKHOUSE_DATABASE,
    keep_alive: { enabled: true },
    request_timeout: answerWithinMs,
    // The client would print errors as text of several lines; callers log or show the errors that they get.
    log: { level: ClickHouseLogLevel.OFF },
  })
}

/** One client for each shard. */
export function clickHouseServers(config: Config): ClickHouseClient[] {
  const urls = config.CLICKHOUSE_LAYOUT === 'single' ? undefined : config.CLICKHOUSE_SHARD_URLS?.split(',')
  return (urls ?? [config.CLICKHOUSE_URL]).map((url) => openClickHouse(config, url))
}

/** The user that may only read; in development there may be none. */
export function readerLogin(config: Config): { username: string; password: string } {
  return {
    username: config.CLICKHOUSE_READER_USER ?? config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_READER_PASSWORD ?? config.CLICKHOUSE_PASSWORD,
  }
}

/** For API requests: a read-only user, with a limit on the cost of one query. */
export function openClickHouseReader(config: Config, answerWithinMs: number): ClickHouseReader {
  return new ClickHouseReader({
    url: config.CLICKHOUSE_URL,
    ...readerLogin(config),
    database: config.CLICKHOUSE_DATABASE,
    answerWithinMs,
    settings: {
      max_execution_time: answerWithinMs / 1_000,
      max_memory_usage: MOST_MEMORY_BYTES,
      // ClickHouse ends the query of a caller that left only if it is read-only.
      readonly: 2,
      cancel_http_readonly_queries_on_client_close: 1,
      // On a machine that also records, reads of customers give way to inserts.
      os_thread_priority: READ_NICENESS,
    },
  })
}

export function clickHouseForm({ CLICKHOUSE_LAYOUT, CLICKHOUSE_CLUSTER = 'bookreel' }: Config): ClickHouseForm {
  return CLICKHOUSE_LAYOUT === 'single' ? { kind: 'single' } : { kind: CLICKHOUSE_LAYOUT, cluster: CLICKHOUSE_CLUSTER }
}

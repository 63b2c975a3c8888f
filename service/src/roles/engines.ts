import { type ClickHouseClient, createClient } from '@clickhouse/client'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectBus } from '../bus/connect.ts'
import type { Config } from '../config.ts'
import type { ClickHouseForm } from '../stores/clickhouse-form.ts'

export function openBus(config: Config, name: string): Promise<NatsConnection> {
  const { NATS_URL, NATS_USER = '', NATS_PASSWORD = '' } = config
  return connectBus({ url: NATS_URL, user: NATS_USER, password: NATS_PASSWORD }, name)
}

export function openClickHouse(config: Config, url = config.CLICKHOUSE_URL): ClickHouseClient {
  return createClient({
    url,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database: config.CLICKHOUSE_DATABASE,
    keep_alive: { enabled: true },
  })
}

export function clickHouseForm({ CLICKHOUSE_LAYOUT, CLICKHOUSE_CLUSTER = 'bookreel' }: Config): ClickHouseForm {
  return CLICKHOUSE_LAYOUT === 'single' ? { kind: 'single' } : { kind: CLICKHOUSE_LAYOUT, cluster: CLICKHOUSE_CLUSTER }
}

import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Command } from 'commander'
import { prepareBuckets } from '../bus/buckets.ts'
import { storedOrMore } from '../bus/shard-counts.ts'
import { prepareStreams } from '../bus/streams.ts'
import type { Config } from '../config.ts'
import { plansWith } from '../domain/plan.ts'
import { migrateClickHouse } from '../stores/engines/clickhouse-migrations.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { migratePostgres } from '../stores/engines/postgres-migrations.ts'
import { applyFunctionRights, applyPostgresRights, hasPostgresLogins } from '../stores/engines/postgres-rights.ts'
import { Plans } from '../stores/markets/postgres-plans.ts'
import { clickHouseForm, clickHouseServers, openBus } from '../wiring/engines.ts'
import { shardCounts } from '../wiring/recorded-venues.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'

/** Migrations can be slow, and a second process waits for the first. */
const MIGRATION_LIMIT_MS = 600_000

export function addPrepareCommand(program: Command, { readConfig, print }: OperatorTools): void {
  const command = program
    .command('prepare')
    .description(
      'create or migrate the NATS streams and the database tables, and set the rights of logins; safe to repeat',
    )
    .action(async () => {
      const done = await prepare(await readConfig())
      print(done.length === 0 ? 'Nothing to do: streams and tables are up to date.' : done.join('\n'))
    })
  withExamples(command, 'prepare')
}

/** Creates or migrates streams and tables; returns what changed. Several processes may run it at the same time. */
export async function prepare(config: Config): Promise<string[]> {
  const clients = clickHouseServers(config)
  const connection = await openBus(config, 'prepare')
  const database = openDatabase({ url: config.DATABASE_URL, answerWithinMs: MIGRATION_LIMIT_MS })
  try {
    const manager = await jetstreamManager(connection)
    await prepareStreams(manager, {
      shardCounts: await storedOrMore(jetstream(connection), shardCounts(config)),
      shardsPerStream: config.SHARDS_PER_STREAM,
      maxBytes: config.STREAM_MAX_BYTES,
      replicas: config.NATS_REPLICAS,
    })
    await prepareBuckets(connection, manager, config.NATS_REPLICAS)
    const tables = await migrateClickHouse({ clients, form: clickHouseForm(config), retention: config })
    const hasLogins = await hasPostgresLogins(database)
    // A migration that replaces a function takes its rights away, and roles that run need them.
    const accounts = await migratePostgres(database, () =>
      hasLogins ? applyFunctionRights(database) : Promise.resolve(),
    )
    await applyPostgresRights(database)
    await new Plans(database).publish(plansWith(config))
    return [...tables.map((name) => `ClickHouse ${name}`), ...accounts.map((name) => `PostgreSQL ${name}`)]
  } finally {
    await Promise.all([...clients.map((client) => client.close()), connection.close(), database.destroy()])
  }
}

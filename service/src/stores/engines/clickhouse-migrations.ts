import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import type { RetentionDays } from '../../domain/retention.ts'
import { type ClickHouseForm, onCluster, statementsFor } from './clickhouse-form.ts'
import { applyRetention, noteRetention } from './clickhouse-retention.ts'

export interface MigrationOptions {
  /** One per shard; ON CLUSTER statements are sent to the first. */
  clients: readonly ClickHouseClient[]
  form: ClickHouseForm
  retention?: RetentionDays
}

interface Migration {
  number: number
  name: string
  template: string
  checksum: string
}

const FOLDER = new URL('../../../migrations/clickhouse/', import.meta.url)

/**
 * Migrates every node and returns the applied migrations, such as `2: 0003-trades`. Every statement may be repeated, so
 * an interrupted migration runs again and concurrent migrations are safe.
 */
export async function migrateClickHouse({ clients, form, retention = {} }: MigrationOptions): Promise<string[]> {
  const migrations = await readMigrations()
  const done: string[] = []
  const nodes = form.kind === 'replicated' ? clients.slice(0, 1) : clients
  for (const [index, client] of nodes.entries()) {
    await command(client, appliedTable(form))
    const applied = await readApplied(client)
    for (const migration of migrations) {
      const checksum = applied.get(migration.number)
      if (checksum === undefined) {
        await apply(client, form, migration)
        done.push(`${index + 1}: ${migration.name}`)
      } else if (checksum !== migration.checksum) {
        throw new Error(`${migration.name} was changed after it had been applied; add a new migration instead`)
      }
    }
    await applyRetention(client, form, retention)
  }
  for (const client of clients) await noteRetention(client, retention)
  return done
}

/** The statements that a new installation would run. */
export async function plannedStatements(form: ClickHouseForm): Promise<string[]> {
  const migrations = await readMigrations()
  return [appliedTable(form), ...migrations.flatMap(({ template }) => statementsFor(form, template))]
}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const number = Number(file.slice(0, 4))
      if (number !== index + 1) throw new Error(`${file} should have the number ${index + 1}`)
      const template = await readFile(new URL(file, FOLDER), 'utf8')
      const checksum = createHash('sha256').update(template).digest('hex')
      return { number, name: file.replace(/\.sql$/, ''), template, checksum }
    }),
  )
}

function appliedTable(form: ClickHouseForm): string {
  return `CREATE TABLE IF NOT EXISTS applied_migrations ${onCluster(form)}
    (number UInt32, name String, checksum String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
    ENGINE = ReplacingMergeTree ORDER BY number SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`
}

async function readApplied(client: ClickHouseClient): Promise<Map<number, string>> {
  const result = await client.query({
    query: 'SELECT number, checksum FROM applied_migrations ORDER BY applied_at',
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ number: number; checksum: string }>()
  return new Map(rows.map(({ number, checksum }) => [number, checksum]))
}

async function apply(client: ClickHouseClient, form: ClickHouseForm, migration: Migration): Promise<void> {
  for (const statement of statementsFor(form, migration.template)) await command(client, statement)
  const { number, name, checksum } = migration
  await client.insert({
    table: 'applied_migrations',
    values: [{ number, name, checksum }],
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 0 },
  })
}

async function command(client: ClickHouseClient, query: string): Promise<void> {
  await client.command({ query })
}

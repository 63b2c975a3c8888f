import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backupClickHouse, restoreClickHouse } from '../../src/stores/engines/clickhouse-backup.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { openClickHouse, valuesOf } from './open-clickhouse.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>
let client: ReturnType<typeof openClickHouse>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['clickhouse'] })
  client = openClickHouse(stack)
  await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
})

afterAll(async () => {
  await client?.close()
  await stack?.stop()
})

const FINGERPRINT = 'SELECT toString(sum(cityHash64(*))) FROM gaps'

test('a backup restores all rows after the tables are dropped, and migrations find nothing to do', async () => {
  await client.command({
    query: `INSERT INTO gaps (market_id, from_slot, from_at, to_slot, known_at_slot, cause, kind, interval_ms, detail)
      SELECT reinterpretAsFixedString(toUInt256(number + 1)), number, now64(3), number + 5, number, 'resync', 'missing', 250, 'x' FROM numbers(1000)`,
  })
  const before = await valuesOf(client, FINGERPRINT)
  await backupClickHouse(client, 'bookreel', 'nightly-1')
  const elsewhere = createClient({
    url: stack.variable('CLICKHOUSE_URL'),
    username: stack.variable('CLICKHOUSE_USER'),
    password: stack.variable('CLICKHOUSE_PASSWORD'),
    database: 'system',
  })
  await elsewhere.command({ query: 'DROP DATABASE bookreel SYNC' })
  await elsewhere.command({ query: 'CREATE DATABASE bookreel ENGINE = Atomic' })
  await elsewhere.close()
  await restoreClickHouse(client, 'bookreel', 'nightly-1')
  expect(await valuesOf(client, FINGERPRINT)).toEqual(before)
  expect(await migrateClickHouse({ clients: [client], form: { kind: 'single' } })).toEqual([])
})

test('a backup name that leaves the backup folder is refused', async () => {
  for (const name of ['../x', 'a/b', "x'", '']) {
    await expect(backupClickHouse(client, 'bookreel', name), name).rejects.toThrow(
      'must have 1 to 80 letters, digits, - or _',
    )
  }
})

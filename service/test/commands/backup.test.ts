import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepare } from '../../src/commands/prepare.ts'
import { serverProgram } from '../../src/commands/server-program.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { Accounts } from '../../src/stores/accounts/accounts.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { openBus } from '../../src/wiring/engines.ts'
import { openClickHouse, valuesOf } from '../clickhouse/open-clickhouse.ts'

type Stack = Awaited<ReturnType<typeof borrowStack>>

const closing = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), "bookreel's backups-"))
const monday = join(folder, 'monday')
let source: Stack
let target: Stack
beforeAll(async () => {
  ;[source, target] = await Promise.all([borrowStack(), borrowStack()])
  for (const stack of [source, target]) closing.use(stack)
  await prepare(configOf(source))
  await using database = openDatabase({ url: source.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await new Accounts(database).create('Ada')
  const client = openClickHouse(source)
  await client.command({
    query: `INSERT INTO gaps (market_id, from_slot, from_at, to_slot, known_at_slot, cause, kind, interval_ms, detail)
      SELECT reinterpretAsFixedString(toUInt256(number + 1)), number, now64(3), number + 5, number, 'resync', 'missing', 250, 'x' FROM numbers(1000)`,
  })
  await client.close()
  await onBuckets(source, async (open) => {
    await (await open('shard-states')).put('count.polymarket', '8')
    await (await open('shard-states')).put('shard.polymarket.0', JSON.stringify({ lastTickMs: 1, text: 'é' }))
    await (await open('market-intervals')).put('0xabc', '250')
    await (await open('market-intervals')).put('0xdef', '500')
    await (await open('market-intervals')).delete('0xdef')
  })
})
afterAll(async () => {
  await closing.disposeAsync()
  rmSync(folder, { recursive: true })
})

function configOf(stack: Stack): Config {
  return readConfig(stack.variables)
}

type OpenBucket = (name: string) => Promise<KV>

async function onBuckets<Answer>(stack: Stack, act: (open: OpenBucket) => Promise<Answer>): Promise<Answer> {
  const connection = await openBus(configOf(stack), 'test')
  try {
    return await act((name) => new Kvm(jetstream(connection)).open(name))
  } finally {
    await connection.close()
  }
}

async function bucketEntries(stack: Stack): Promise<string[]> {
  return onBuckets(stack, async (open) => {
    const found: string[] = []
    for (const name of ['shard-states', 'market-intervals']) {
      for await (const entry of await (await open(name)).history())
        if (entry.operation === 'PUT') found.push(`${name} ${entry.key} ${entry.string()}`)
    }
    return found.sort()
  })
}

/** What the command prints with the settings of the stack. */
async function bookreelServer(stack: Stack, args: readonly string[], version = '1.2.3'): Promise<string> {
  const lines: string[] = []
  const program = serverProgram({
    name: 'bookreel-server',
    version,
    roles: [],
    readConfig: async () => configOf(stack),
    readVenueAddresses: async () => configOf(stack),
    print: (line) => lines.push(line),
    complain: (line) => lines.push(line),
    run: async () => {},
    watch: async () => {},
  })
  await program.parseAsync(args, { from: 'user' })
  return lines.join('\n')
}

async function fingerprint(stack: Stack): Promise<unknown> {
  const client = openClickHouse(stack)
  try {
    return await valuesOf(client, 'SELECT toString(sum(cityHash64(*))) FROM gaps')
  } finally {
    await client.close()
  }
}

test('a backup is restored into another stack by the name of its folder, and the audit is clean', async () => {
  const made = await bookreelServer(source, ['backup', monday])
  expect(made).toMatch(/^ClickHouse +\S.*monday\/clickhouse {2}\d+\.\d MB, \d+ tables, 1,0\d\d rows, \d+\.\d s$/m)
  expect(made).toMatch(/^PostgreSQL +\S.*monday\/postgres\.pgdump {2}\d+\.\d MB, \d+ tables, \d+ rows, \d+\.\d s$/m)
  expect(made).toContain(`bookreel-server restore ${monday}`)

  expect(made).toMatch(/^NATS +\S.*monday\/nats\.jsonl {2}\d+\.\d MB, 3 entries, \d+\.\d s$/m)

  const restored = await bookreelServer(target, ['restore', monday])
  expect(await bucketEntries(target)).toEqual(await bucketEntries(source))
  expect(await bucketEntries(target)).toHaveLength(3)
  expect(restored).toContain('3 entries')
  const amounts = (text: string) => [...text.matchAll(/\d+ tables, [\d,]+ rows/g)].map(([amount]) => amount)
  expect(amounts(restored)).toHaveLength(2)
  expect(amounts(restored)).toEqual(amounts(made))
  expect(await fingerprint(target)).toEqual(await fingerprint(source))
  expect(await bookreelServer(target, ['prepare'])).toContain('Nothing to do')
  expect(await bookreelServer(target, ['audit'])).toContain('All checks passed.')
  expect(await bookreelServer(target, ['accounts', 'list'])).toContain('name=Ada')
})

test('only its owner can read a backup', async () => {
  const owned = join(folder, 'owned')
  await bookreelServer(source, ['backup', owned])
  expect(statSync(owned).mode & 0o777).toBe(0o700)
  for (const file of ['postgres.pgdump', 'backup.json', 'nats.jsonl'])
    expect(statSync(join(owned, file)).mode & 0o777, file).toBe(0o600)
  const existing = join(folder, 'existing')
  mkdirSync(existing)
  chmodSync(existing, 0o755)
  await expect(bookreelServer(source, ['backup', existing, '--pg-programs', '/nosuch'])).rejects.toThrow('pg_dump')
  expect(statSync(existing).mode & 0o777).toBe(0o700)
})

test.each<[what: string, args: () => string[], message: RegExp]>([
  ['a folder that has files', () => ['backup', monday], /monday is not empty\. Choose a new folder\.$/],
  [
    'a folder that cannot be created',
    () => ['backup', join(monday, 'backup.json/x')],
    /backup\.json\/x cannot be created \(ENOTDIR\)\. Choose another/,
  ],
  [
    'a folder without a backup',
    () => ['restore', folder],
    /has no complete backup: backup\.json is missing\. Give the folder that/,
  ],
  [
    'databases with tables',
    () => ['restore', monday],
    /database bookreel already has \d+ tables, and nothing was changed\. Restore into empty/,
  ],
])('%s: the message says what to do', async (_, args, message) => {
  await expect(bookreelServer(source, args())).rejects.toThrow(message)
})

test('a NATS that has states already is not changed', async () => {
  const other = closing.use(await borrowStack())
  const connection = await openBus(configOf(other), 'test')
  const states = await new Kvm(jetstream(connection)).create('shard-states', { history: 1 })
  await states.put('count.polymarket', '16')
  await expect(bookreelServer(other, ['restore', monday])).rejects.toThrow(
    'The buckets of NATS already have 1 entries, and nothing was changed.',
  )
  expect((await states.get('count.polymarket'))?.string()).toBe('16')
  await connection.close()
})

test('a place that ClickHouse or pg_dump cannot use is named, with the option that helps', async () => {
  const programs = ['--pg-programs', '/nosuch']
  await expect(bookreelServer(source, ['backup', join(folder, 'tuesday'), ...programs])).rejects.toThrow(
    'There is no pg_dump in /nosuch. Install the client programs of PostgreSQL, and name their folder with --pg-programs.',
  )
  expect(existsSync(join(folder, 'tuesday/backup.json')), 'the incomplete backup has no manifest').toBe(false)
  const again = ['backup', join(folder, 'wednesday'), '--clickhouse-path', join(monday, 'clickhouse')]
  await expect(bookreelServer(source, again)).rejects.toThrow(/already has a backup at .*monday.*Choose another folder/)
})

test('a backup of a newer version is refused', async () => {
  await expect(bookreelServer(target, ['restore', monday], '1.2.2')).rejects.toThrow(
    'The backup was made by version 1.2.3, this is version 1.2.2. Restore it with 1.2.3 or a newer version.',
  )
  const file = join(monday, 'backup.json')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.slice(0, 9))
  await expect(bookreelServer(target, ['restore', monday])).rejects.toThrow(
    /backup\.json is damaged\. Use another backup/,
  )
  writeFileSync(file, text)
})

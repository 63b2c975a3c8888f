import { readFile } from 'node:fs/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { PROBE_EVERY_MS, type ProbedService, type ProbeResult } from '../../src/domain/probe.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { ProbeHours } from '../../src/stores/platform/probe-hours.ts'

const MIGRATION = new URL('../../migrations/postgres/0012-probe-hours.sql', import.meta.url)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 15, 12)

let stack: Stack
let database: Database
let store: ProbeHours

beforeAll(async () => {
  stack = await borrowStack({ engines: ['postgres'] })
  database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await migratePostgres(database)
  store = new ProbeHours(database)
})
afterAll(async () => {
  await database?.destroy()
  await stack?.stop()
})
beforeEach(async () => {
  await sql`TRUNCATE probe_hours`.execute(database)
})

/** One letter for each slot: `o`k, `g` degraded, `d`own, or `-` for a missing probe. */
function probesOf(letters: string, fromMs = NOW - HOUR, service: ProbedService = 'api'): ProbeResult[] {
  const states = { o: 'ok', g: 'degraded', d: 'down' } as const
  return letters
    .split('')
    .flatMap((letter, slot) =>
      letter === '-'
        ? []
        : [{ service, atMs: fromMs + slot * PROBE_EVERY_MS, state: states[letter as keyof typeof states] }],
    )
}

async function storedLetters(): Promise<string> {
  const { rows } = await sql<{ letters: string }>`SELECT letters FROM probe_hours ORDER BY hour_at`.execute(database)
  return rows.map(({ letters }) => letters).join('')
}

test('results are stored once, in any order, over the border of an hour', async () => {
  const results = probesOf('ogd-o', NOW - 2 * PROBE_EVERY_MS)
  await store.record(results, NOW)
  const stored = await storedLetters()
  expect(stored).toBe(`${'-'.repeat(358)}ogd-o${'-'.repeat(357)}`)
  await store.record(results.toReversed(), NOW)
  expect(await storedLetters()).toBe(stored)
})

test('of two results for one slot the better one counts, also when both are stored at the same time', async () => {
  await store.record(probesOf('oooooo'), NOW)
  await Promise.all(['-dgdgo', '-gdodo', '-ddddd'].map((letters) => store.record(probesOf(letters), NOW)))
  expect((await storedLetters()).slice(0, 6)).toBe('oooooo')
  await Promise.all(
    ['dddggg', 'gddogd', 'dgdddo'].map((letters) => store.record(probesOf(letters, NOW - HOUR, 'cache'), NOW)),
  )
  const { rows } = await sql<{ letters: string }>`SELECT letters FROM probe_hours WHERE service = 'cache'`.execute(
    database,
  )
  // Failed probes before the first successful one are not stored; which one that is depends on the order here.
  expect(rows[0]?.letters.slice(3, 6)).toBe('ogo')
})

test('a service is measured from its first successful probe on', async () => {
  await store.record(probesOf('ddd'), NOW)
  expect(await store.uptime(NOW)).toEqual(new Map())
  await store.record(probesOf('---dodd'), NOW)
  expect((await store.uptime(NOW)).get('api')).toMatchObject({ uptime: 33.333 })
})

test('probes are kept for the ninety days of the status page and deleted after them', async () => {
  await store.record([...probesOf('o', NOW - 91 * DAY), ...probesOf('o', NOW - 92 * DAY)], NOW)
  await store.record(probesOf('o'), NOW)
  expect((await storedLetters()).replaceAll('-', '')).toBe('oo')
})

test('probes of an older version are taken over', async () => {
  await sql`
    INSERT INTO probed_services (service, first_at) VALUES ('api', ${new Date(NOW)});
  `.execute(database)
  await sql`
    INSERT INTO probes (service, slot_at, state)
    VALUES ('api', ${new Date(NOW)}, 'ok'), ('api', ${new Date(NOW + PROBE_EVERY_MS)}, 'down'),
      ('api', ${new Date(NOW + HOUR - PROBE_EVERY_MS)}, 'degraded')
  `.execute(database)
  await sql`DROP TABLE probe_hours`.execute(database)
  await sql.raw(await readFile(MIGRATION, 'utf8')).execute(database)
  expect(await storedLetters()).toBe(`od${'-'.repeat(357)}g`)
})

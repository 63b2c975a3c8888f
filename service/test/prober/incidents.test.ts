import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { judgeProbes } from '../../src/domain/incident.ts'
import { PROBE_EVERY_MS } from '../../src/domain/uptime.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { Incidents, type ServiceIncident } from '../../src/stores/platform/incidents.ts'
import { Uptime } from '../../src/stores/platform/uptime.ts'

const FIRST = Date.UTC(2026, 10, 15, 12)
const at = (slot: number): number => FIRST + slot * PROBE_EVERY_MS

let stack: Stack
let database: Database
let uptime: Uptime
let incidents: Incidents

beforeAll(async () => {
  stack = await borrowStack({ engines: ['postgres'] })
  database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await migratePostgres(database)
  uptime = new Uptime(database)
  incidents = new Incidents(database)
})
afterAll(async () => {
  await database?.destroy()
  await stack?.stop()
})
beforeEach(() => clearTables())

async function clearTables(): Promise<void> {
  await sql`TRUNCATE probes, uptime_days, incidents, probed_services`.execute(database)
}

/** One letter for each slot: `u`p, `d`own, or `-` for a missing probe. */
async function record(letters: string, from = 0): Promise<void> {
  await uptime.record(
    letters.split('').flatMap((letter, slot) =>
      letter === '-'
        ? []
        : [
            {
              service: 'cache' as const,
              atMs: at(from + slot),
              state: letter === 'u' ? ('ok' as const) : ('down' as const),
            },
          ],
    ),
  )
}

const timesOf = ({ startedAtMs, endedAtMs }: ServiceIncident) => [startedAtMs, endedAtMs]

test('two probers that evaluate the same slots at once write each incident once, as `judgeProbes` defines it', async () => {
  const letters = fc.array(fc.constantFrom('u', 'd', 'd', '-'), { minLength: 1, maxLength: 24 })
  await fc.assert(
    fc.asyncProperty(letters, async (sequence) => {
      await clearTables()
      const text = `u${sequence.join('')}`
      for (const [slot, letter] of text.split('').entries()) {
        await Promise.all([record(letter, slot), record(letter, slot)])
        await Promise.all([incidents.judge(at(slot + 1)), incidents.judge(at(slot + 1))])
      }
      const isUpAt = new Map(
        text.split('').flatMap((letter, slot) => (letter === '-' ? [] : [[at(slot), letter === 'u']])),
      )
      const { watch, ended } = judgeProbes({ nextSlotMs: FIRST }, isUpAt, at(text.length))
      const expected = [...ended, ...(watch.open ? [watch.open] : [])].map((each) => ({ ...each, service: 'cache' }))
      // One slot later, because the newest probe may still be missing.
      const listed = await incidents.list(at(text.length) + PROBE_EVERY_MS)
      expect(listed.toReversed()).toEqual(expected)
      const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM incidents`.execute(database)
      expect(rows[0]?.count).toBe(expected.length)
    }),
    { numRuns: 25 },
  )
})

test('missing probes are listed as an open incident, which is written and ends when a prober runs again', async () => {
  await record('uuuu')
  await incidents.judge(at(4))
  expect(await incidents.list(at(6))).toEqual([])
  const [open] = await incidents.list(at(60))
  expect(open).toEqual({ service: 'cache', startedAtMs: at(4), wasSeenDown: false })
  await record('uuu', 100)
  await incidents.judge(at(103))
  const listed = await incidents.list(at(104))
  expect(listed).toEqual([{ service: 'cache', startedAtMs: at(4), endedAtMs: at(100), wasSeenDown: false }])
})

test('an incident that ended more than ninety days ago is not listed, an open one always is', async () => {
  await record('uddduuu')
  await incidents.judge(at(7))
  const laterMs = at(7) + 91 * 86_400_000
  expect((await incidents.list(at(8))).map(timesOf)).toEqual([[at(1), at(4)]])
  expect((await incidents.list(laterMs)).map(timesOf)).toEqual([[at(7), undefined]])
})

test('of two probers the better result counts, so a prober without network opens no incident', async () => {
  for (let slot = 0; slot < 6; slot++) {
    await record('d', slot)
    await incidents.judge(at(slot))
    await record('u', slot)
    await incidents.judge(at(slot))
  }
  expect(await incidents.list(at(7))).toEqual([])
})

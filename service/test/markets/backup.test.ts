import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { marketOf, NOW_MS } from '@bookreel/testbed/service/market-facts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backupPostgres, restorePostgres } from '../../src/stores/engines/postgres-backup.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { Markets } from '../../src/stores/markets/markets.ts'
import { type OpenMarkets, openMarkets } from './open-markets.ts'

let open: OpenMarkets
let folder: string
beforeAll(async () => {
  open = await openMarkets()
  folder = await mkdtemp(join(tmpdir(), 'bookreel-backup-'))
})
afterAll(async () => {
  await open[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

function programs(): { programFolder: string; libraryPath?: string } {
  const plan = open.stack.record.engines.map((engine) => engine.plan).find(({ kind }) => kind === 'postgres')
  if (plan?.kind !== 'postgres') throw new Error('no PostgreSQL')
  const { path, libraryPath } = plan.program
  return { programFolder: dirname(path), ...(libraryPath !== undefined && { libraryPath }) }
}

async function newDatabase(name: string): Promise<string> {
  await sql`CREATE DATABASE ${sql.id(name)}`.execute(open.database)
  const url = new URL(open.stack.variable('DATABASE_URL'))
  url.pathname = `/${name}`
  return url.href
}

test('a backup restores all rows, migrated, and with the constraints', async () => {
  const market = marketOf('kept')
  await open.markets.saveListings([{ market, seenAtMs: NOW_MS }])
  await open.markets.saveResolutions([{ marketId: market.id, winner: 0, resolvedAtMs: NOW_MS }])
  const file = join(folder, 'catalogue')
  await backupPostgres({ url: open.stack.variable('DATABASE_URL'), file, ...programs() })
  expect(await readdir(folder)).toEqual(['catalogue'])

  const url = await newDatabase('another')
  await restorePostgres({ url, file, ...programs() })
  await using restored = openDatabase({ url, answerWithinMs: 30_000 })
  expect(await migratePostgres(restored)).toEqual([])
  const found = await new Markets(restored).byId(market.id, NOW_MS)
  expect(found).toEqual(await open.markets.byId(market.id, NOW_MS))
  const byHand = restored.updateTable('markets').set({ capture_interval_ms: 999 })
  await expect(byHand.execute()).rejects.toThrow(/for life/)
})

test('a restore refuses a database that is in use, and does not change it', async () => {
  const file = join(folder, 'older')
  await backupPostgres({ url: open.stack.variable('DATABASE_URL'), file, ...programs() })
  const later = marketOf('later')
  await open.markets.saveListings([{ market: later, seenAtMs: NOW_MS }])
  const restore = restorePostgres({ url: open.stack.variable('DATABASE_URL'), file, ...programs() })
  await expect(restore).rejects.toThrow(/already exists/)
  expect((await open.markets.byId(later.id, NOW_MS))?.label).toBe('later')
})

test('a failed backup gives the reason, does not reveal the password and leaves no file', async () => {
  const url = new URL(open.stack.variable('DATABASE_URL'))
  url.pathname = '/missing'
  const file = join(folder, 'never')
  const error = await backupPostgres({ url: url.href, file, ...programs() }).catch((caught: Error) => caught)
  expect(String(error)).toMatch(/pg_dump.*does not exist/s)
  expect(String(error)).not.toContain(url.password)
  expect(existsSync(file) || existsSync(`${file}.unfinished`)).toBe(false)
})

import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { POSTGRES_RETENTION } from '../../src/domain/retention.ts'
import { TIERS } from '../../src/domain/tier.ts'
import { publishTiers } from '../../src/stores/accounts/tiers.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { Plans } from '../../src/stores/markets/postgres-plans.ts'
import { deleteExpiredRows } from '../../src/stores/platform/expired-rows.ts'

test('four concurrent migrators create one set of tables, a later one has nothing to do, and plans match the configuration', async () => {
  await using stack = await borrowStack({ engines: ['postgres'] })
  const url = stack.variable('DATABASE_URL')
  const rivals = Array.from({ length: 4 }, () => openDatabase({ url, answerWithinMs: 20_000 }))
  const done = await Promise.all(rivals.map((rival) => migratePostgres(rival)))
  await Promise.all(rivals.map((rival) => rival.destroy()))
  // Each rival applies some of them.
  expect(done.flat().sort()).toEqual([
    '0001-markets',
    '0002-accounts',
    '0004-uptime',
    '0005-people',
    '0006-payments',
    '0007-usage',
    '0008-events',
    '0009-incidents',
    '0010-resolved-reviews',
    '0011-tiers-and-processors',
    '0012-probe-hours',
    '0013-tier-until',
    '0014-paid-reads',
    '0015-erasure',
    '0016-free-credits',
    '0017-corrections',
    '0018-venue-neutral-markets',
    '0019-ledger-parts',
    '0020-coverage',
    '0021-rotated-keys',
    '0022-refused-calls',
    '0023-account-history',
    '0024-invoice-amounts',
    '0025-events-and-samples',
    '0026-files',
    '0027-manifests',
    '0028-console-keys',
    '0029-operators',
    '0030-worst-coverage',
    '0031-review-list',
    '0032-refunded-at',
    '0033-kinds-of-files',
    '0034-bounded-functions',
    '0035-resolved-counts',
  ])

  await using database = openDatabase({ url, answerWithinMs: 30_000 })
  expect(await migratePostgres(database)).toEqual([])
  const plans = new Plans(database)
  await Promise.all([plans.publish(CATEGORY_PLANS), plans.publish(CATEGORY_PLANS)])
  expect(await plans.list()).toEqual(CATEGORY_PLANS)
  const changed = CATEGORY_PLANS.slice(0, 5).map((plan) =>
    plan.id === 'sports' ? { ...plan, displayName: 'Games', captureIntervalMs: 100 } : plan,
  )
  await plans.publish(changed)
  expect(await plans.list()).toEqual(changed)
  const tooFine = CATEGORY_PLANS.map((plan) => ({ ...plan, captureIntervalMs: 99 }))
  await expect(plans.publish(tooFine)).rejects.toThrow(/capture_interval_ms/)
  expect(await plans.list()).toEqual(changed)
  await plans.publish(CATEGORY_PLANS)
  expect(await plans.list()).toEqual(CATEGORY_PLANS)
})

test('a migration that fails keeps those before it; the next run goes on with it', async () => {
  await using stack = await borrowStack({ engines: ['postgres'] })
  await using database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await sql`CREATE TABLE manifests (in_the_way integer)`.execute(database)
  await expect(migratePostgres(database)).rejects.toThrow(/0027-manifests.*run prepare again/)
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(database)
  expect(rows.at(-1)).toEqual({ name: '0026-files' })
  await sql`SELECT FROM files`.execute(database)
  await sql`DROP TABLE manifests`.execute(database)
  expect((await migratePostgres(database))[0]).toBe('0027-manifests')
  expect(await migratePostgres(database)).toEqual([])
})

test('PostgreSQL takes the tiers from the table in the code: a new tier is one entry there', async () => {
  await using stack = await borrowStack({ engines: ['postgres'] })
  await using database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await migratePostgres(database)
  const ranked = async (): Promise<string[]> => {
    const { rows } = await sql<{ tier: string }>`SELECT tier FROM tiers ORDER BY tier_rank(tier)`.execute(database)
    return rows.map(({ tier }) => tier)
  }
  const openAccount = (tier: string) =>
    sql`INSERT INTO accounts (name, tier) VALUES (${tier}, ${tier})`.execute(database)
  expect(await ranked()).toEqual(TIERS)
  await expect(openAccount('team')).rejects.toThrow('accounts_tier_known')
  const withTeam = TIERS.toSpliced(2, 0, 'team' as never)
  await publishTiers(database, withTeam)
  expect(await ranked()).toEqual(withTeam)
  await openAccount('team')
})

test('every table of PostgreSQL has an entry in the list of retention, and only expired rows are deleted', async () => {
  await using stack = await borrowStack({ engines: ['postgres'] })
  await using database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await migratePostgres(database)
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname
  `.execute(database)
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(POSTGRES_RETENTION).sort())

  const daysAgo = (days: number) => new Date(WORLD_NOW_MS - days * 86_400_000)
  for (const [id, days] of [
    ['0x1', 40],
    ['0x2', 20],
  ] as const)
    await sql`INSERT INTO resolutions (market_id, winner, resolved_at) VALUES (${id}, 0, ${daysAgo(days)})`.execute(
      database,
    )
  expect(await deleteExpiredRows(database, {}, WORLD_NOW_MS)).toBe(0)
  expect(await deleteExpiredRows(database, { RETENTION_DAYS_MARKETS: 0 }, WORLD_NOW_MS)).toBe(0)
  expect(
    await deleteExpiredRows(database, { RETENTION_DAYS_MARKETS: 30, RETENTION_DAYS_USAGE: 30 }, WORLD_NOW_MS),
  ).toBe(1)
  const { rows: left } = await sql<{ id: string }>`SELECT market_id AS id FROM resolutions`.execute(database)
  expect(left).toEqual([{ id: '0x2' }])
})

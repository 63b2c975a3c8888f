import { startStack } from '@bookreel/stack/start-stack'
import { expect, test } from 'vitest'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { openDatabase } from '../../src/stores/postgres-database.ts'
import { migratePostgres } from '../../src/stores/postgres-migrations.ts'
import { Plans } from '../../src/stores/postgres-plans.ts'

test('four migrators at once leave one set of tables, a later one has nothing to do, and plans keep what an operator changed', async () => {
  await using stack = await startStack({ engines: ['postgres'] })
  const url = stack.variable('DATABASE_URL')
  const rivals = Array.from({ length: 4 }, () => openDatabase({ url, answerWithinMs: 20_000 }))
  const done = await Promise.all(rivals.map(migratePostgres))
  await Promise.all(rivals.map((rival) => rival.destroy()))
  expect(done.flat()).toEqual(['0001-markets'])

  await using database = openDatabase({ url })
  expect(await migratePostgres(database)).toEqual([])
  const plans = new Plans(database)
  await Promise.all([plans.seed(), plans.seed()])
  expect(await plans.list()).toEqual(CATEGORY_PLANS)
  expect(await plans.change('sports', { captureIntervalMs: 100, displayName: 'Games' })).toBe(true)
  expect(await plans.change('weather', { isEnabled: false })).toBe(true)
  expect(await plans.change('nothing', { isEnabled: false })).toBe(false)
  await expect(plans.change('crypto', { captureIntervalMs: 99 })).rejects.toThrow(/capture_interval_ms/)
  await plans.seed()
  const list = await plans.list()
  expect(list.map(({ id }) => id)).toEqual(['crypto', 'sports', 'equities', 'economics', 'social'])
  expect(list[1]).toMatchObject({ displayName: 'Games', captureIntervalMs: 100, refreshIntervalMs: 60_000 })
})

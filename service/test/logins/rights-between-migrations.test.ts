import { readdir, readFile } from 'node:fs/promises'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { applyFunctionRights } from '../../src/stores/engines/postgres-rights.ts'

const FOLDER = new URL('../../migrations/postgres/', import.meta.url)
/** Replaces functions that charge credits. */
const REPLACING = '0019-ledger-parts.sql'

test('when a later migration fails, the functions of those before it have the rights of their owner again', async () => {
  await using stack = await borrowStack({ engines: ['postgres'] })
  await using database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  const runsAsOwner = async (): Promise<boolean[]> => {
    const { rows } = await sql<{ prosecdef: boolean }>`
      SELECT prosecdef FROM pg_proc WHERE proname IN ('charge_credits', 'void_charge')`.execute(database)
    return rows.map(({ prosecdef }) => prosecdef)
  }
  for (const file of (await readdir(FOLDER)).sort().filter((each) => each <= REPLACING)) {
    const text = await readFile(new URL(file, FOLDER), 'utf8')
    await database.transaction().execute((transaction) => sql.raw(text).execute(transaction))
    if (file < REPLACING) await applyFunctionRights(database)
  }
  expect(await runsAsOwner()).toContain(false)
  await applyFunctionRights(database)
  expect(await runsAsOwner()).not.toContain(false)
})

import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { copyMigratedDatabase } from '@bookreel/testbed/stacks/migrated-database'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { Markets } from '../../src/stores/markets/markets.ts'

export interface OpenMarkets extends AsyncDisposable {
  readonly stack: Stack
  readonly database: Database
  readonly markets: Markets
}

/** A private PostgreSQL with the newest tables. */
export async function openMarkets(answerWithinMs = 10_000): Promise<OpenMarkets> {
  const stack = await borrowStack({ engines: ['postgres'] })
  await copyMigratedDatabase(stack)
  const database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs })
  await migratePostgres(database)
  return {
    stack,
    database,
    markets: new Markets(database),
    async [Symbol.asyncDispose]() {
      await database.destroy()
      await stack.stop()
    },
  }
}

import type { Database } from '@bookreel/service/stores/engines/postgres-database'

/** The clock that ends keys, tiers and invoices, and tells in which day and month credits are spent. */
export async function postgresNowMs(database: Database): Promise<number> {
  const { now } = await database.selectNoFrom(({ fn }) => fn<Date>('now').as('now')).executeTakeFirstOrThrow()
  return now.getTime()
}

import type { Stack } from '@bookreel/stack/start-stack'
import pg from 'pg'

/** Runs a statement without the triggers that protect history, as somebody with all rights on the server could. */
export async function rewriteHistory(stack: Stack, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: stack.variable('DATABASE_URL') })
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(statement)
  } finally {
    await client.end()
  }
}

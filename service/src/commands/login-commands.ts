import { resolve } from 'node:path'
import type { Command } from 'commander'
import { sql } from 'kysely'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { withExamples } from './help-examples.ts'
import { type LoginChange, writeLogins } from './login-files.ts'
import type { OperatorTools } from './operator.ts'

const POSTGRES_ANSWERS_WITHIN_MS = 60_000

/** `bookreel-server logins …`: a login of its own for each role, in all engines. */
export function addLoginCommands(program: Command, tools: OperatorTools): void {
  const logins = program.command('logins').description('write a login for each role, with only the rights it needs')
  withExamples(logins, 'logins write /etc/bookreel/logins --apply')
  addChange(logins, tools, 'write', 'keep', 'write the logins; passwords that exist are kept')
  addChange(logins, tools, 'rotate', 'rotate', 'add new users with new passwords; the former ones still work')
  addChange(logins, tools, 'retire', 'retire', 'remove the users of the former passwords')
}

function addChange(
  logins: Command,
  { readConfig, print }: OperatorTools,
  name: string,
  change: LoginChange,
  meaning: string,
): void {
  const command = logins
    .command(name)
    .description(meaning)
    .argument('<folder>', 'folder for a settings file of each login and a config of each engine')
    .option('--apply', 'also create the users in PostgreSQL, as the user in DATABASE_URL')
    .action(async (folder: string, { apply = false }: { apply?: boolean }) => {
      const config = await readConfig()
      const { generation, statements } = await writeLogins(config, resolve(folder), change)
      if (apply) await applyStatements(config.DATABASE_URL, statements)
      const postgres = apply ? 'PostgreSQL has its users.' : 'Run postgres.sql as a superuser of PostgreSQL.'
      print(
        `Logins of generation ${generation} are in ${resolve(folder)}. ${postgres} Load clickhouse-users.xml, nats.conf and redis.acl (docs/logins.md), then run \`prepare\`.`,
      )
    })
  withExamples(command, `logins ${name} /etc/bookreel/logins`)
}

async function applyStatements(url: string, statements: readonly string[]): Promise<void> {
  const database = openDatabase({ url, maxConnections: 1, answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS })
  try {
    await database.transaction().execute((transaction) => sql.raw(statements.join(';\n')).execute(transaction))
  } finally {
    await database.destroy()
  }
}

#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { programName } from './commands/program-name.ts'
import { serverProgram } from './commands/server-program.ts'
import { readConfig } from './config.ts'
import { ROLES } from './roles/all-roles.ts'
import { runRoles } from './roles/run-roles.ts'
import { watchRole } from './roles/watch-role.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const name = programName(process.env)

const program = serverProgram({
  name,
  version,
  roles: Object.keys(ROLES),
  readConfig: () => readConfig(process.env),
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
  run: (roles) => runRoles(roles, readConfig(process.env)),
  watch: async () => {
    const stop = new AbortController()
    process.once('SIGTERM', () => stop.abort()).once('SIGINT', () => stop.abort())
    await watchRole(
      { config: readConfig(process.env), log: pino({ level: 'silent' }), registry: new Registry() },
      stop.signal,
    )
  },
})

/** The messages of an error and of all its causes. */
function messageWithCauses(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${messageWithCauses(error.cause)}` : error.message
}

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  console.error(messageWithCauses(error as Error))
  process.exit(1)
}

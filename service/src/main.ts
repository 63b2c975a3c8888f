#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Command, CommanderError } from 'commander'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { type ConfigPlaces, findConfig, givenConfig, givenVenueAddresses } from './commands/find-config.ts'
import { programName } from './commands/program-name.ts'
import { roleProgram } from './commands/role-program.ts'
import { WrongUsage } from './commands/wrong-usage.ts'
import { ROLES } from './roles/all-roles.ts'
import { runRoles } from './roles/run-roles.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const name = programName(process.env)

const checkout = fileURLToPath(new URL('../..', import.meta.url))

const places = (): ConfigPlaces => ({
  environment: process.env,
  settingsFile: program.opts<{ settings?: string }>().settings,
  folders: [process.cwd(), checkout],
  programName: name,
  note: (line) => console.error(line),
})

/** Ends the program when nobody reads any more: `head` closes the pipe early. */
function print(line: string): void {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => process.exit())
  console.log(line)
}

const newProgram =
  process.argv[2] === 'run' ? roleProgram : (await import('./commands/server-program.ts')).serverProgram

const program: Command = newProgram({
  name,
  version,
  roles: Object.keys(ROLES),
  readConfig: () => findConfig(places()),
  readVenueAddresses: async () => givenVenueAddresses(places()),
  print,
  complain: (line) => console.error(line),
  run: (roles) => runRoles(roles, givenConfig(places())),
  watch: async () => {
    const stop = new AbortController()
    process.once('SIGTERM', () => stop.abort()).once('SIGINT', () => stop.abort())
    // A reader such as `head` may close the pipe early.
    process.stdout.on('error', () => stop.abort())
    const config = await findConfig(places())
    const { watchRole } = await import('./roles/watch-role.ts')
    await watchRole({ config, log: pino({ level: 'silent' }), registry: new Registry() }, stop.signal)
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
  process.exit(error instanceof WrongUsage ? 2 : 1)
}

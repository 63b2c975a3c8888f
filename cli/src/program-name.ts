import type { Command } from 'commander'
import type { Variables } from './settings.ts'

const INSTALLED = 'bookreel'

/** The command that starts this program here: the npm script in a checkout, else the installed command. */
export function programName({ npm_package_name, npm_lifecycle_event }: Variables): string {
  return npm_package_name === 'bookreel' && npm_lifecycle_event === 'cli' ? 'npm run cli --' : INSTALLED
}

export function programNameOf(command: Command): string {
  return command.parent === null ? command.name() : programNameOf(command.parent)
}

export function isInstalled(program: Command): boolean {
  return programNameOf(program) === INSTALLED
}

import { readFileSync } from 'node:fs'
import type { Command } from './engines/engine.ts'
import { environmentWith } from './environment.ts'

/**
 * Wraps the command so that the kernel kills it when this process ends, in whatever way it ends, even while the
 * command is paused.
 */
export function boundCommand({ program, args, avoidRoot }: Command): {
  file: string
  args: string[]
  env: NodeJS.ProcessEnv
} {
  const identity = avoidRoot && process.getuid?.() === 0 ? asUnprivilegedUser() : []
  return {
    file: 'setpriv',
    args: ['--pdeathsig', 'KILL', ...identity, program.path, ...args],
    env: environmentWith(program.libraryPath ? { LD_LIBRARY_PATH: program.libraryPath } : {}),
  }
}

/**
 * The stack folder or the program may be below a folder that only root may enter, such as root's home. The one
 * remaining capability allows access to such folders; `no_setuid_fixup` makes access(2) honour it too.
 */
function asUnprivilegedUser(): string[] {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const account = ['postgres', 'nobody'].map((name) => accounts.find((fields) => fields[0] === name)).find(Boolean)
  if (!account)
    throw new Error(
      'PostgreSQL refuses to run as root, and this machine has no user "postgres" or "nobody". Create one of them, or start the stack as another user.',
    )
  return [
    `--reuid=${account[2]}`,
    `--regid=${account[3]}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
    ...['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,+dac_override`),
  ]
}

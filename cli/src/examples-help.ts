import type { Command } from 'commander'
import { programNameOf } from './program-name.ts'

/** Adds notes and example command lines to the help of a command. */
export function withExamples(command: Command, examples: readonly string[], notes = ''): Command {
  return command.addHelpText('after', () => {
    const lines = examples.map((example) => `  $ ${programNameOf(command)} ${example}`).join('\n')
    return `${notes === '' ? '' : `\n${notes}\n`}\nExamples:\n${lines}`
  })
}

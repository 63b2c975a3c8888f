import type { Command } from 'commander'

/** Adds example command lines to the help of a command. */
export function withExamples(command: Command, ...examples: string[]): Command {
  return command.addHelpText('after', () => {
    let program = command
    while (program.parent) program = program.parent
    return `\nExamples:\n${examples.map((example) => `  $ ${program.name()} ${example}`).join('\n')}`
  })
}

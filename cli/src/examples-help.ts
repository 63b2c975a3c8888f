import type { Command } from 'commander'

/** Adds notes and example command lines to the help of a command. */
export function withExamples(command: Command, examples: readonly string[], notes = ''): Command {
  const lines = examples.map((example) => `  $ bookreel ${example}`).join('\n')
  return command.addHelpText('after', `${notes === '' ? '' : `\n${notes}\n`}\nExamples:\n${lines}`)
}

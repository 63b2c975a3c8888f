import type { Command } from 'commander'

/** Lines to copy, and further words where there are any. */
export function withExamples(command: Command, examples: readonly string[], words = ''): Command {
  const lines = examples.map((example) => `  $ bookreel ${example}`).join('\n')
  return command.addHelpText('after', `${words === '' ? '' : `\n${words}\n`}\nExamples:\n${lines}`)
}

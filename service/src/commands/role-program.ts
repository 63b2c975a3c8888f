import { Argument, Command } from 'commander'
import { withExamples } from './help-examples.ts'

const EXIT_CODES_HELP = 'Exit codes: 0 ok, 1 a check or the command failed, 2 wrong usage or wrong settings.'

export interface RoleTools {
  /** How this program is started here; for hints. */
  readonly name: string
  readonly version: string
  readonly roles: readonly string[]
  readonly run: (roles: string[]) => Promise<void>
}

/** The command line of a process that runs roles: it starts sooner without the code of the other commands. */
export function roleProgram(tools: RoleTools): Command {
  return withVersion(withRun(tools), tools.version)
}

/** The program with its first command; `parseAsync` of it throws and never ends the process. */
export function withRun({ name, roles, run }: RoleTools): Command {
  const program = new Command(name)
    .description(
      'Records order books of prediction markets and perpetual futures, and serves them. For operators; the program for users is `bookreel`.',
    )
    .showHelpAfterError('Add --help to see arguments, options and examples.')
    .option(
      '--settings <file>',
      'file with settings, such as .stack/stack.env; its values replace those of the environment',
    )
    .exitOverride()
  withExamples(program, 'prepare', 'run all', 'accounts create "Ada Lovelace"', 'audit').addHelpText(
    'after',
    `\n${EXIT_CODES_HELP}`,
  )
  const runCommand = program
    .command('run')
    .description('run one or more roles in this process')
    .addArgument(new Argument('<roles...>', 'roles to run').choices([...roles, 'all']))
    .action(run)
  withExamples(runCommand, 'run all', 'run capture archive hot catalogue')
  return program
}

export function withVersion(program: Command, version: string): Command {
  for (const command of withSubcommands(program)) command.version(version, '--version', 'print the version')
  return program
}

/** The command and all commands below it. */
export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

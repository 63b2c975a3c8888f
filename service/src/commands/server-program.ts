import { Argument, Command } from 'commander'
import { describeConfig } from '../config.ts'
import { addAuditCommand } from './audit.ts'
import { addBackupCommands } from './backup.ts'
import { addDeadCommands } from './dead.ts'
import { addFieldcheckCommand, type FieldcheckTools } from './fieldcheck.ts'
import { withExamples } from './help-examples.ts'
import { addLoginCommands } from './login-commands.ts'
import { addOperatorCommands, type OperatorTools } from './operator.ts'
import { addPrepareCommand } from './prepare.ts'
import { addRawCommands } from './raw.ts'
import { addRebuildCommand } from './rebuild.ts'
import { addReshardCommand } from './reshard.ts'

export const EXIT_CODES_HELP = 'Exit codes: 0 ok, 1 a check or the command failed, 2 wrong usage or wrong settings.'

export interface ServerTools extends OperatorTools, FieldcheckTools {
  readonly version: string
  readonly roles: readonly string[]
  readonly run: (roles: string[]) => Promise<void>
  readonly watch: () => Promise<void>
}

/** The command line of the operator's program; `parseAsync` of it throws and never ends the process. */
export function serverProgram(tools: ServerTools): Command {
  const { name, version, roles, run, watch, print } = tools
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
  addPrepareCommand(program, tools)
  const watchCommand = program
    .command('watch')
    .description('show live recording statistics in the terminal')
    .action(watch)
  withExamples(watchCommand, 'watch')
  addBackupCommands(program, tools)
  addAuditCommand(program, tools)
  addOperatorCommands(program, tools)
  addDeadCommands(program, tools)
  addRawCommands(program, tools)
  addRebuildCommand(program, tools)
  addReshardCommand(program, tools)
  addFieldcheckCommand(program, tools)
  addLoginCommands(program, tools)
  const settings = program
    .command('settings')
    .description('list every setting with its description and default')
    .action(() => {
      for (const { name: setting, usual, meaning } of describeConfig())
        print(`${setting.padEnd(24)} ${meaning} (${usual})`)
    })
  withExamples(settings, 'settings')
  for (const command of withSubcommands(program)) command.version(version, '--version', 'print the version')
  return program
}

/** The command and all commands below it. */
export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

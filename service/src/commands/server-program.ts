import type { Command } from 'commander'
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
import { type RoleTools, withRun, withVersion } from './role-program.ts'

export interface ServerTools extends RoleTools, OperatorTools, FieldcheckTools {
  readonly watch: () => Promise<void>
}

/** The command line of the operator's program; `parseAsync` of it throws and never ends the process. */
export function serverProgram(tools: ServerTools): Command {
  const { version, watch, print } = tools
  const program = withRun(tools)
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
  return withVersion(program, version)
}

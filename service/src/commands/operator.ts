import type { Command } from 'commander'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock.ts'
import { openAccess } from '../wiring/open-access.ts'
import { addAccountCommands } from './account-commands.ts'
import type { Act } from './act.ts'
import { factsLine } from './facts-line.ts'
import { addKeyCommands } from './key-commands.ts'
import { addReviewCommands } from './review-commands.ts'
import { addSampleCommands } from './sample-commands.ts'

export interface OperatorTools {
  /** How this program is started here; for hints. */
  readonly name: string
  readonly readConfig: () => Promise<Config>
  readonly print: (line: string) => void
  readonly complain: (line: string) => void
  /** Default: that of the machine. */
  readonly nowMs?: Clock
}

/** `bookreel-server accounts …`, `keys …`, `reviews …` and `samples …`. */
export function addOperatorCommands(program: Command, tools: OperatorTools): void {
  const act: Act = async (isJson, action) => {
    const access = openAccess(await tools.readConfig(), (error) => tools.complain(String(error)))
    try {
      const found = await action(access)
      if (isJson) tools.print(JSON.stringify(found))
      else if (Array.isArray(found) && found.length === 0) tools.print('None.')
      else for (const each of [found].flat()) tools.print(factsLine(each))
    } finally {
      await access.close()
    }
  }
  addAccountCommands(program, tools.name, act)
  addKeyCommands(program, tools.name, act)
  addReviewCommands(program, act)
  addSampleCommands(program, tools, act)
}

import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { type Clock, wallClock } from '../domain/clock.ts'
import { MAX_SAMPLES, Samples } from '../stores/books/samples.ts'
import type { Database } from '../stores/engines/postgres-database.ts'
import { makeSample } from '../wiring/make-sample.ts'
import type { Act, Finding } from './act.ts'
import { withExamples } from './help-examples.ts'
import { instant, jsonOption } from './read-arguments.ts'

interface SampleTools {
  /** How this program is started here; for hints. */
  readonly name: string
  readonly readConfig: () => Promise<Config>
  /** Default: that of the machine. */
  readonly nowMs?: Clock
}

export function addSampleCommands(program: Command, tools: SampleTools, act: Act): void {
  const { nowMs = wallClock } = tools
  const samples = program.command('samples').description('finished hours that everybody may look at, without a key')
  withExamples(samples, 'samples list')
  const list = samples
    .command('list')
    .description('list all samples, newest first')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      act(json, async ({ database }) =>
        (await samplesIn(database).list(nowMs())).map(({ id, facts }) => lineOf(id, facts)),
      ),
    )
  withExamples(list, 'samples list --json')
  const add = samples
    .command('add')
    .description(`make a sample of a finished hour; there are at most ${MAX_SAMPLES}. Choose an hour with a gap`)
    .argument('<market>', 'condition id of the market')
    .argument('<hour>', 'start of the hour', instant)
    .addOption(jsonOption())
    .action((marketId: string, hourMs: number, { json }: { json?: boolean }) =>
      act(json, async ({ database }) => {
        const made = await makeSample(await tools.readConfig(), database, { marketId, hourMs }, nowMs())
        if (!(await samplesIn(database).add(made)))
          throw new Error(
            `There are ${MAX_SAMPLES} samples already. Remove one with: ${tools.name} samples remove <id>`,
          )
        return lineOf(made.id, made.facts)
      }),
    )
  withExamples(add, `samples add 0x${'1f'.repeat(32)} 2027-01-31T05:00:00Z`)
  const remove = samples
    .command('remove')
    .description('remove a sample')
    .argument('<id>', 'id of the sample')
    .addOption(jsonOption())
    .action((id: string, { json }: { json?: boolean }) =>
      act(json, async ({ database }) => {
        if (!(await samplesIn(database).remove(id))) throw new Error(`There is no sample with the id ${id}`)
        return { id, removed: true }
      }),
    )
  withExamples(remove, 'samples remove bitcoin-up-or-down-2027-01-31t05')
}

function samplesIn(database: Database): Samples {
  return new Samples({ database, folder: tmpdir() })
}

function lineOf(id: string, facts: unknown): Finding {
  const { market_id, hour, rows, gap_count, bytes, sha256 } = facts as Record<string, unknown>
  return { id, market_id, hour, rows, gap_count, bytes, sha256 }
}

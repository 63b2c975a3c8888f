import { Command, CommanderError } from 'commander'
import { addBars } from './commands/bars.ts'
import { addBook } from './commands/book.ts'
import { addCoverage } from './commands/coverage.ts'
import { addCredits } from './commands/credits.ts'
import { addDownload } from './commands/download.ts'
import { addEstimate } from './commands/estimate.ts'
import { addEvents } from './commands/events.ts'
import { addFiles } from './commands/files.ts'
import { addGaps } from './commands/gaps.ts'
import { addHeatmap } from './commands/heatmap.ts'
import { addKeys } from './commands/keys.ts'
import { addLimits } from './commands/limits.ts'
import { addMarkets } from './commands/markets.ts'
import { addMcp } from './commands/mcp.ts'
import { addPerp } from './commands/perp.ts'
import { addPerpHour } from './commands/perp-hour.ts'
import { addPrices } from './commands/prices.ts'
import { addQuotes } from './commands/quotes.ts'
import { addReplay } from './commands/replay.ts'
import { addSamples } from './commands/samples.ts'
import { addSearch } from './commands/search.ts'
import { addSnapshots } from './commands/snapshots.ts'
import { addVerify } from './commands/verify.ts'
import { addWatch } from './commands/watch.ts'
import { withExamples } from './examples-help.ts'
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts'
import { failureOf } from './failure.ts'
import { invocationFactory } from './invocation.ts'
import { programName } from './program-name.ts'
import { readUrl, type Settings } from './settings.ts'
import { Interrupted, type Terminal } from './terminal.ts'

const COMMANDS = [
  addMarkets,
  addSearch,
  addQuotes,
  addEvents,
  addBook,
  addWatch,
  addReplay,
  addSnapshots,
  addBars,
  addPrices,
  addGaps,
  addCoverage,
  addHeatmap,
  addEstimate,
  addPerp,
  addPerpHour,
  addDownload,
  addSamples,
  addFiles,
  addVerify,
  addLimits,
  addCredits,
  addKeys,
  addMcp,
]

/** Runs the command line and returns the exit code. */
export async function runCli(
  args: readonly string[],
  terminal: Terminal,
  { version, signal }: { version: string; signal: AbortSignal },
): Promise<number> {
  let settings: Settings | undefined
  const begin = invocationFactory(terminal, signal, (found) => {
    settings = found
  })
  const name = programName(terminal.variables)
  const program = programOf(terminal, name, version)
  for (const add of COMMANDS) add(program, begin)
  try {
    await program.parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.wrongUse
    if (error instanceof Interrupted || signal.aborted) {
      if (error instanceof Interrupted && error.message !== '') terminal.note(error.message)
      return EXIT.interrupted
    }
    const { exitCode, message } = failureOf(error, name, settings)
    terminal.note(`bookreel: ${message}`)
    return exitCode
  }
}

function programOf(terminal: Terminal, name: string, version: string): Command {
  const program = new Command(name)
    .description('Live and recorded order books of prediction markets and perpetual futures in the terminal.')
    .version(version)
    .option('--key <key>', `API key; safer: set BOOKREEL_KEY, or run ${name} key set`)
    .option('--url <address>', 'address of the service; also BOOKREEL_URL (default: http://127.0.0.1:8080)', readUrl)
    .option('--json', 'print JSON: one document, or one per line for streams and --all')
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.writeStderr(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Add --help to the command to see its options and examples.')
    .exitOverride()
  return withExamples(
    program,
    [
      'key set',
      'markets --coin BTC',
      'book BTC/5m',
      'watch BTC/5m --json',
      'download --markets BTC/5m --from 3h --to 1h --out books',
    ],
    EXIT_CODES_HELP,
  )
}

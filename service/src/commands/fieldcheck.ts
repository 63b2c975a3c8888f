import { constants } from 'node:fs'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { reportText } from '../fieldcheck/report-text.ts'
import { CHECKED_VENUES, type CheckedVenue, runFieldcheck, type VenueAddresses } from '../fieldcheck/run-fieldcheck.ts'
import { RawArchive } from '../raw/raw-archive.ts'
import { rawMetrics } from '../raw/raw-metrics.ts'
import { recorderName } from '../raw/segment-name.ts'
import { withExamples } from './help-examples.ts'
import { WrongUsage } from './wrong-usage.ts'

export interface FieldcheckTools {
  readonly name: string
  readonly readVenueAddresses: () => Promise<VenueAddresses>
  readonly print: (line: string) => void
  readonly complain: (line: string) => void
}

interface FieldcheckArguments {
  readonly minutes: number
  readonly frames: string
  readonly json?: string
}

const MINUTE_MS = 60_000
const MIN_FREE_BYTES = 100_000_000

/** `bookreel-server fieldcheck …`: needs no engines, only access to the venue. */
export function addFieldcheckCommand(program: Command, tools: FieldcheckTools): void {
  const command = program
    .command('fieldcheck')
    .description(
      'check what the recorder assumes about a venue against its real addresses; exit code 1 when something that it relies on is wrong',
    )
    .addArgument(new Argument('<venue>', 'what to check').choices(CHECKED_VENUES))
    .addOption(new Option('--minutes <number>', 'how long to listen').argParser(minutes).default(10))
    .addOption(
      new Option('--frames <folder>', 'folder for all received frames and REST answers; `raw cat` reads it').default(
        join('out', 'fieldcheck'),
      ),
    )
    .option('--json <file>', 'also write the report as JSON into this file')
    .action((venue: CheckedVenue, given: FieldcheckArguments) => fieldcheck(venue, given, tools))
  withExamples(
    command,
    'fieldcheck polymarket',
    'fieldcheck hyperliquid --minutes 2 --json hyperliquid.json',
    'fieldcheck spot',
  )
}

async function fieldcheck(
  venue: CheckedVenue,
  { minutes: length, frames: folder, json }: FieldcheckArguments,
  { name, readVenueAddresses, print, complain }: FieldcheckTools,
): Promise<void> {
  const addresses = await readVenueAddresses()
  await requireWritable(folder, json)
  const metrics = rawMetrics(new Registry())
  const raw = new RawArchive({
    folder,
    recorder: recorderName(`fieldcheck-${venue}`),
    minFreeBytes: MIN_FREE_BYTES,
    log: pino({ level: 'silent' }),
    metrics,
  })
  const stop = new AbortController()
  const end = (): void => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  complain(`Checking ${venue} for ${length} minutes. Ctrl-C ends the check early and prints what was seen until then.`)
  try {
    const durationMs = length * MINUTE_MS
    const report = await runFieldcheck({ venue, addresses, durationMs, raw, signal: stop.signal, progress: complain })
    print(reportText(report))
    const lost = (await metrics.dropped.get()).values.reduce((sum, { value }) => sum + value, 0)
    const kept = lost === 0 ? 'All frames are' : `${lost} frames could not be stored; the others are`
    print(`${kept} in ${folder}; to read them: ${name} raw cat --folder ${folder}`)
    if (json !== undefined) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`)
    if (!report.isSound) process.exitCode = 1
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    await raw.close()
  }
}

/** Known before the check, which takes minutes. */
async function requireWritable(folder: string, json: string | undefined): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new WrongUsage(`Frames can not be written to ${folder}. Choose another folder with --frames.`, {
      cause: error,
    })
  }
  try {
    if (json !== undefined) await writeFile(json, '')
  } catch (error) {
    throw new WrongUsage(`The report can not be written to ${json}. Choose another file with --json.`, { cause: error })
  }
}

function minutes(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 24 * 60)) throw new InvalidArgumentError('It must be a number of minutes, such as 10.')
  return value
}

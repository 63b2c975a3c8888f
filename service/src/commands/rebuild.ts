import type { Command } from 'commander'
import { Option } from 'commander'
import type { Config } from '../config.ts'
import { wallClock } from '../domain/clock.ts'
import type { TimeRange } from '../domain/time-range.ts'
import type { MissingTime } from '../raw/raw-reader.ts'
import { RawIsIncomplete, type Rebuilt, rebuild } from '../rebuild/rebuild.ts'
import { correctHour } from '../stores/books/correct-hour.ts'
import { Corrections } from '../stores/books/corrections.ts'
import { compareHour, type HourChanges, type ReplacingServers } from '../stores/books/replace-hour.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { clickHouseForm, clickHouseServers } from '../wiring/engines.ts'
import { openRawReader } from '../wiring/open-raw.ts'
import { recordedVenues, shardCounts } from '../wiring/recorded-venues.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'
import { instant } from './read-arguments.ts'
import { WrongUsage } from './wrong-usage.ts'

interface RebuildArguments {
  readonly from: number
  readonly to: number
  readonly market?: string
  readonly reason: string
  readonly dryRun?: boolean
}

const POSTGRES_ANSWERS_WITHIN_MS = 30_000
/** The newest rows may still be on the way to ClickHouse. */
const STORED_WITHIN_MS = 300_000
const PROGRESS_EVERY_MS = 5_000

/** `bookreel-server rebuild`: rows, gaps and trades again, from the raw archive. */
export function addRebuildCommand(program: Command, tools: OperatorTools): void {
  const command = program
    .command('rebuild')
    .description(
      'produce rows, gaps and trades again from the raw archive; where they differ from the stored ones, replace these and raise the revision of the market and hour',
    )
    .addOption(new Option('--from <time>', 'start of the range').argParser(instant).makeOptionMandatory())
    .addOption(new Option('--to <time>', 'end of the range, not included').argParser(instant).makeOptionMandatory())
    .option('--market <id>', 'correct only this market')
    .option('--reason <text>', 'why; customers see it in the list of corrections', 'rebuilt from the raw archive')
    .option('--dry-run', 'show the differences and change nothing; exit code 1 when there are any')
    .action((given: RebuildArguments) => runRebuild(given, tools))
  withExamples(
    command,
    'rebuild --from 2027-01-31T05:00:00Z --to 2027-01-31T06:00:00Z --dry-run',
    'rebuild --from 2027-01-31T05:00:00Z --to 2027-01-31T06:00:00Z --reason "new hash rule of the venue"',
  )
}

async function runRebuild(given: RebuildArguments, { readConfig, print, complain }: OperatorTools): Promise<void> {
  const { from: fromMs, to: toMs, market } = given
  if (toMs <= fromMs) throw new WrongUsage('--to must be later than --from.')
  const latestMs = wallClock() - STORED_WITHIN_MS
  if (toMs > latestMs)
    throw new WrongUsage(`--to must be at least five minutes ago: not after ${new Date(latestMs).toISOString()}.`)
  const config = await readConfig()
  const { rows, unfinished, unread, records } = await readRows(config, { fromMs, toMs }, complain)
  for (const part of unread) complain(unreadLine(part))
  const ids = rows.marketIds.filter((id) => market === undefined || id === market)
  if (market !== undefined && ids.length === 0) {
    complain(`The raw archive has no rows of this market in the range: ${market}`)
    process.exitCode = 1
    return
  }
  const clients = clickHouseServers(config)
  const database = openDatabase({ url: config.DATABASE_URL, answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS })
  const servers: ReplacingServers = { clients, form: clickHouseForm(config) }
  const corrections = new Corrections(database)
  const compareAll = async (): Promise<void> => {
    let [compared, different] = [0, 0]
    for (const part of ids.flatMap((id) => (unfinished.has(id) ? [] : rows.partsOf(id)))) {
      compared++
      const found = given.dryRun
        ? { changes: (await compareHour(servers, part)).changes, revision: undefined }
        : await correctHour(servers, corrections, part, given.reason)
      if (found === undefined || isNone(found.changes)) continue
      different++
      print(lineOf(part.marketId, part.hourMs, found.changes, found.revision))
    }
    const left = ids.filter((id) => unfinished.has(id))
    for (const id of left) complain(`${id}: left as it is, because a gap has not ended yet`)
    print(`${records} raw records read; ${compared} market hours compared, ${different} different.`)
    if (left.length > 0 || (given.dryRun && different > 0)) process.exitCode = 1
  }
  try {
    if ((await corrections.alone(compareAll)) === undefined)
      throw new Error('Another rebuild is running. Start this one when it has ended.')
  } finally {
    await Promise.all([...clients.map((client) => client.close()), database.destroy()])
  }
}

async function readRows(config: Config, range: TimeRange, complain: (line: string) => void): Promise<Rebuilt> {
  const missing: MissingTime[] = []
  const { reader, close } = await openRawReader(config, (span) => missing.push(span))
  try {
    let toldAt = performance.now()
    const rebuilt = await rebuild({
      reader,
      range,
      venues: () => recordedVenues(config),
      shardCounts: shardCounts(config),
      onProgress: (atMs) => {
        if (performance.now() - toldAt < PROGRESS_EVERY_MS) return
        toldAt = performance.now()
        complain(`reading ${new Date(atMs).toISOString()}`)
      },
    })
    const [lacking] = missing.filter(({ fromMs }) => fromMs < range.toMs)
    if (lacking !== undefined)
      throw new RawIsIncomplete(
        `The raw archive is incomplete: ${lacking.reason}. Choose a range that does not need it.`,
      )
    return rebuilt
  } finally {
    close()
  }
}

function unreadLine({ shard, fromMs, toMs }: Rebuilt['unread'][number]): string {
  const [from, to] = [fromMs, toMs].map((atMs) => new Date(atMs).toISOString())
  return `Shard ${shard} has no raw records from ${from} to ${to}: stored rows of this time stay as they are.`
}

function isNone({ snapshots, gaps, trades }: HourChanges): boolean {
  return snapshots + gaps + trades === 0
}

function lineOf(marketId: string, hourMs: number, changes: HourChanges, revision: number | undefined): string {
  const { snapshots, gaps, trades } = changes
  const hour = new Date(hourMs).toISOString().slice(0, 13)
  const told = revision === undefined ? '' : `  revision=${revision}`
  return `${marketId}  hour=${hour}  rows=${snapshots}  gaps=${gaps}  trades=${trades}${told}`
}

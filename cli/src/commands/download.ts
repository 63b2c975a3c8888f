import { mkdirSync } from 'node:fs'
import { BookreelError } from '@bookreel/sdk'
import type { Command } from 'commander'
import { wholeNumber } from '../arguments.ts'
import { fetchHours, type PlacedHour, placeHours, progressOf } from '../download/fetch-hours.ts'
import { hourText } from '../download/hours.ts'
import { hoursText, leftOutLines, nameOf, nothingText } from '../download/left-out.ts'
import { type ManifestEntry, writeManifest } from '../download/manifest.ts'
import { MarketFolders } from '../download/market-folders.ts'
import { type Survey, survey } from '../download/survey.ts'
import { wantedHours } from '../download/wanted-hours.ts'
import { withExamples } from '../examples-help.ts'
import { NothingFound, WrongUse } from '../exit-codes.ts'
import type { Begin, Invocation } from '../invocation.ts'
import { MOMENT_HELP, moment } from '../moment.ts'
import { ProgressLine } from '../progress-line.ts'
import { bytesText, counted, grouped } from '../render/numbers.ts'
import { Interrupted } from '../terminal.ts'

interface Options {
  markets: string
  from: number
  to: number
  out: string
  parallel: number
  yes?: true
}

export function addDownload(program: Command, begin: Begin): void {
  const command = program
    .command('download')
    .description('Download whole hours of markets as Parquet files with a manifest; can be interrupted and resumed')
    .requiredOption('--markets <list>', 'comma-separated condition ids, slugs, coin/timeframe or category:name')
    .requiredOption('--from <time>', 'the first hour is the one that contains this time', moment)
    .requiredOption('--to <time>', 'only hours that start before this time', moment)
    .requiredOption('--out <folder>', 'target folder; complete files in it are not downloaded again')
    .option('--parallel <count>', 'number of parallel downloads', wholeNumber(1, 16), 4)
    .option('--yes', 'spend credits without asking for confirmation')
    .action((options: Options, self: Command) => download(begin(self), options))
  withExamples(
    command,
    [
      'download --markets BTC/5m --from 2026-11-15T10:00:00Z --to 2026-11-15T12:00:00Z --out books',
      'download --markets btc-updown-1h,0x… --from 1d --to 1h --out books --parallel 8 --yes',
    ],
    `Costs 1 credit for each 1,000 rows of an hour; the price is shown before anything is charged. To resume, run the same
command again: complete files are kept, and an hour that you paid for is free for 24 hours. BTC/5m selects every window
of that coin and timeframe. Every market gets a folder named after its slug and the start of its id. An hour can be
downloaded 5 minutes after its end; if the range has no finished hour, the exit code is 4.
${MOMENT_HELP}`,
  )
}

async function download(invocation: Invocation, options: Options): Promise<void> {
  const { client, terminal } = invocation
  const { from: fromMs, to: toMs, parallel, out } = options
  if (fromMs >= toMs) throw new WrongUse('--from must be before --to.')
  const markets = options.markets
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const limits = await client.account.limits()
  if (!limits.formats.includes('parquet')) {
    throw new BookreelError('tier_not_allowed', `The ${limits.tier} tier does not include Parquet files.`)
  }
  const wanted = await wantedHours(client, markets, { fromMs, toMs }, parallel, (text) => terminal.note(text))
  const found = await survey(client, wanted, parallel)
  const nowMs = Date.now()
  if (found.hours.length === 0) return nothing(invocation, found, nothingText(found, { fromMs, toMs }, nowMs))
  for (const line of leftOutLines(found, nowMs)) terminal.note(line)
  mkdirSync(out, { recursive: true })
  const folders = new MarketFolders(out)
  const hours = placeHours(out, folders, found.hours)
  for (const folder of folders.older)
    terminal.note(`${folder} is a folder of an older version and is used again; new folders are named after the slug.`)
  if (!(await isPriceAccepted(invocation, hours, limits.creditsRemaining, options))) return
  const paid = await fetchAll(invocation, hours, parallel)
  const entries = hours.flatMap(({ entry }) => entry ?? [])
  const manifest = writeManifest(out, entries)
  const sum = (value: (entry: ManifestEntry) => number): number =>
    entries.reduce((total, entry) => total + value(entry), 0)
  const total = {
    files: entries.length,
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    credits_charged: paid,
  }
  if (invocation.isJson) return terminal.json({ ...total, ...leftOut(found), manifest })
  terminal.line(
    `Downloaded ${hoursText(total.files)}: ${grouped(total.rows)} rows, ${bytesText(total.bytes)}. Charged ${counted(paid, 'credit')}. Manifest: ${manifest}`,
  )
}

/** Ends with the exit code for "not found", so that a script notices. */
function nothing({ terminal, isJson }: Invocation, found: Survey, message: string): never {
  if (isJson) terminal.json({ files: 0, rows: 0, bytes: 0, credits_charged: 0, ...leftOut(found), manifest: null })
  throw new NothingFound(message)
}

function leftOut({ notFinished, empty }: Survey) {
  return {
    not_finished: notFinished.map(({ market, slug, hourMs, availableAtMs }) => ({
      market,
      slug,
      hour: hourText(hourMs),
      available_at: availableAtMs === undefined ? null : new Date(availableAtMs).toISOString(),
    })),
    empty: empty.map(({ market, report, hourMs }) => ({ market, slug: report.slug, hour: hourText(hourMs) })),
  }
}

async function isPriceAccepted(
  { terminal, signal }: Invocation,
  hours: readonly PlacedHour[],
  balance: number,
  { yes }: Options,
): Promise<boolean> {
  const missing = hours.filter(({ entry }) => entry === undefined)
  if (missing.length === 0) return true
  const rows = missing.reduce((sum, { report }) => sum + report.rows, 0)
  const credits = missing.reduce((sum, { report }) => sum + report.credits, 0)
  const present = hours.length - missing.length
  const price = `${hoursText(missing.length)} with ${grouped(rows)} rows cost up to ${counted(credits, 'credit')}; you have ${grouped(balance)}.${present > 0 ? ` ${hoursText(present)} already in the folder.` : ''}`
  if (yes === true) terminal.note(price)
  return terminal.confirm(`${price} Download?`, yes === true, signal)
}

/** Returns the credits charged. */
async function fetchAll(
  { client, terminal, signal }: Invocation,
  hours: readonly PlacedHour[],
  parallel: number,
): Promise<number> {
  const progress = progressOf(hours, Date.now())
  const line = new ProgressLine(terminal, progress)
  let paid = 0
  try {
    await fetchHours(client, hours, {
      parallel,
      progress,
      onPaid: (credits) => {
        paid += credits
      },
      onFile: ({ market, hourMs, report: { slug } }, { rows, bytes }) =>
        line.print(`${nameOf({ market, slug })}  ${hourText(hourMs)}  ${grouped(rows)} rows  ${bytesText(bytes)}`),
    })
    return paid
  } catch (error) {
    const state = `${grouped(progress.hours)} of ${grouped(hours.length)} hours are complete, ${counted(paid, 'credit')} ${paid === 1 ? 'was' : 'were'} charged.`
    const next = 'Run the same command again to resume; hours already paid for are free for 24 hours.'
    if (signal.aborted) throw new Interrupted(`Interrupted: ${state} ${next}`)
    line.print(`${state} ${next}`)
    throw error
  } finally {
    line.close()
  }
}

import { mkdirSync } from 'node:fs'
import { BookreelError } from '@bookreel/sdk'
import type { Command } from 'commander'
import { wholeNumber } from '../arguments.ts'
import { fetchHours, type PlacedHour, placeHours, progressOf } from '../download/fetch-hours.ts'
import { hourText } from '../download/hours.ts'
import { type ManifestEntry, writeManifest } from '../download/manifest.ts'
import { type Survey, survey } from '../download/survey.ts'
import { type MarketHour, wantedHours } from '../download/wanted-hours.ts'
import { withExamples } from '../examples-help.ts'
import { WrongUse } from '../exit-codes.ts'
import type { Begin, Invocation } from '../invocation.ts'
import { MOMENT_HELP, moment } from '../moment.ts'
import { ProgressLine } from '../progress-line.ts'
import { bytesText, grouped } from '../render/numbers.ts'
import { shortId } from '../render/text.ts'
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
of that coin and timeframe.
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
  const wanted = await wantedHours(client, markets, { fromMs, toMs }, parallel)
  const found = await survey(client, wanted, parallel)
  mkdirSync(out, { recursive: true })
  const hours = placeHours(out, found.hours)
  reportLeftOut(invocation, found)
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
  if (invocation.isJson)
    return terminal.json({ ...total, not_finished: namesOf(found.notFinished), empty: namesOf(found.empty), manifest })
  terminal.line(
    `Downloaded ${grouped(total.files)} hours: ${grouped(total.rows)} rows, ${bytesText(total.bytes)}. Charged ${grouped(paid)} credits. Manifest: ${manifest}`,
  )
}

function reportLeftOut({ terminal }: Invocation, { hours, notFinished, empty }: Survey): void {
  const count = (some: readonly MarketHour[]): string =>
    `${grouped(some.length)} ${some.length === 1 ? 'hour' : 'hours'}`
  if (hours.length === 0) terminal.note('Nothing to download: no recorded hours of these markets in this range.')
  for (const { market, hourMs } of notFinished.slice(0, 3))
    terminal.note(`Not finished yet: ${hourText(hourMs)} of ${shortId(market)}`)
  if (notFinished.length > 0)
    terminal.note(`${count(notFinished)} skipped because they are not finished; run the command again later.`)
  if (empty.length > 0) terminal.note(`${count(empty)} skipped because nothing was recorded.`)
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
  const price = `${grouped(missing.length)} hours with ${grouped(rows)} rows cost up to ${grouped(credits)} credits; you have ${grouped(balance)}.${present > 0 ? ` ${grouped(present)} hours are already in the folder.` : ''}`
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
      onFile: ({ market, hourMs }, { rows, bytes }) =>
        line.print(`${shortId(market)}  ${hourText(hourMs)}  ${grouped(rows)} rows  ${bytesText(bytes)}`),
    })
    return paid
  } catch (error) {
    const state = `${grouped(progress.hours)} of ${grouped(hours.length)} hours are complete, ${grouped(paid)} credits were charged.`
    const next = 'Run the same command again to resume; hours already paid for are free for 24 hours.'
    if (signal.aborted) throw new Interrupted(`Interrupted: ${state} ${next}`)
    line.print(`${state} ${next}`)
    throw error
  } finally {
    line.close()
  }
}

function namesOf(hours: readonly MarketHour[]): { market: string; hour: string }[] {
  return hours.map(({ market, hourMs }) => ({ market, hour: hourText(hourMs) }))
}

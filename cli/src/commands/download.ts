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
    .description('Whole hours of markets as Parquet files, with a manifest; can be interrupted at any time')
    .requiredOption('--markets <list>', 'condition ids, slugs, coin/timeframe or category:name, with commas')
    .requiredOption('--from <time>', 'the hour that this lies in is the first', moment)
    .requiredOption('--to <time>', 'no hour that begins at or after this', moment)
    .requiredOption('--out <folder>', 'where the files go; what is there is not fetched again')
    .option('--parallel <count>', 'how many files at once', wholeNumber(1, 16), 4)
    .option('--yes', 'pay without being asked')
    .action((options: Options, self: Command) => download(begin(self), options))
  withExamples(
    command,
    [
      'download --markets BTC/5m --from 2026-11-15T10:00:00Z --to 2026-11-15T12:00:00Z --out books',
      'download --markets btc-updown-1h,0x… --from 1d --to 1h --out books --parallel 8 --yes',
    ],
    `Costs 1 credit for each 1,000 rows of an hour; the price is told first. Run it again to go on after a break: what is
there is kept, and an hour that was paid is free for a day. BTC/5m means every window of that coin and length.
${MOMENT_HELP}`,
  )
}

async function download(invocation: Invocation, options: Options): Promise<void> {
  const { client, terminal } = invocation
  const { from: fromMs, to: toMs, parallel, out } = options
  if (fromMs >= toMs) throw new WrongUse('--from must lie before --to.')
  const markets = options.markets
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const limits = await client.account.limits()
  if (!limits.formats.includes('parquet')) {
    throw new BookreelError('tier_not_allowed', `Files are not part of the ${limits.tier} tier.`)
  }
  const wanted = await wantedHours(client, markets, { fromMs, toMs }, parallel)
  const found = await survey(client, wanted, parallel)
  mkdirSync(out, { recursive: true })
  const hours = placeHours(out, found.hours)
  tellLeftOut(invocation, found)
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
    `${grouped(total.files)} hours are there: ${grouped(total.rows)} rows, ${bytesText(total.bytes)}. ${grouped(paid)} credits were charged. ${manifest}`,
  )
}

function tellLeftOut({ terminal }: Invocation, { hours, notFinished, empty }: Survey): void {
  const count = (some: readonly MarketHour[]): string =>
    `${grouped(some.length)} ${some.length === 1 ? 'hour' : 'hours'}`
  if (hours.length === 0) terminal.note('There is nothing to download.')
  for (const { market, hourMs } of notFinished.slice(0, 3))
    terminal.note(`Not finished yet: ${hourText(hourMs)} of ${shortId(market)}`)
  if (notFinished.length > 0) terminal.note(`${count(notFinished)} left out because not finished; ask again later.`)
  if (empty.length > 0) terminal.note(`${count(empty)} left out because nothing was recorded.`)
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
  const there = hours.length - missing.length
  const price = `${grouped(missing.length)} hours with ${grouped(rows)} rows cost up to ${grouped(credits)} credits; you have ${grouped(balance)}.${there > 0 ? ` ${grouped(there)} are there already.` : ''}`
  if (yes === true) terminal.note(price)
  return terminal.confirm(`${price} Download?`, yes === true, signal)
}

/** What was charged for it. */
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
        line.tell(`${shortId(market)}  ${hourText(hourMs)}  ${grouped(rows)} rows  ${bytesText(bytes)}`),
    })
    return paid
  } catch (error) {
    const state = `${grouped(progress.hours)} of ${grouped(hours.length)} hours are there, ${grouped(paid)} credits were charged.`
    const next = 'The same command goes on from here; what was paid is free for a day.'
    if (signal.aborted) throw new Interrupted(`Interrupted: ${state} ${next}`)
    line.tell(`${state} ${next}`)
    throw error
  } finally {
    line.close()
  }
}

function namesOf(hours: readonly MarketHour[]): { market: string; hour: string }[] {
  return hours.map(({ market, hourMs }) => ({ market, hour: hourText(hourMs) }))
}

import type { SnapshotList, TokenSnapshot } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import { type Begin, type Invocation, throwIfInterrupted } from '../invocation.ts'
import { findMarket, REFERENCE_HELP } from '../market-reference.ts'
import { MOMENT_HELP, moment } from '../moment.ts'
import { grouped, timeText } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  from?: number
  to?: number
  side?: (typeof SIDES)[number]
  order?: 'asc' | 'desc'
  limit: number
  all?: true
  book?: true
  dryRun?: true
  yes?: true
}

const USUAL_LIMIT = 20
const MOST = 500

const COLUMNS: readonly Column<TokenSnapshot>[] = [
  { title: 'CAPTURED (UTC)', text: (row) => timeText(row.capture_timestamp) },
  { title: 'SEQ', text: (row) => String(row.sequence_number), isNumber: true },
  { title: 'SIDE', text: ({ side }) => side },
  { title: 'BID', text: (row) => String(row.best_bid), isNumber: true },
  { title: 'ASK', text: (row) => String(row.best_ask), isNumber: true },
  { title: 'SPREAD', text: ({ spread }) => String(spread), isNumber: true },
  { title: 'BIDS OF 5', text: (row) => grouped(row.depth5_bid), isNumber: true },
  { title: 'ASKS OF 5', text: (row) => grouped(row.depth5_ask), isNumber: true },
  { title: 'SPOT', text: (row) => (row.spot_crypto_usd === null ? '–' : grouped(row.spot_crypto_usd)), isNumber: true },
  { title: 'FLAGS', text: ({ flags }) => flags.join(' '), mayShrink: true },
]

export function addSnapshots(program: Command, begin: Begin): void {
  const command = program
    .command('snapshots')
    .description('Stored books of a market, 10 credits for each page of up to 500')
    .argument('<market>', 'condition id, slug, or coin/timeframe')
    .option('--from <time>', 'earliest, included', moment)
    .option('--to <time>', 'latest, not included', moment)
    .option('--side <side>', 'UP or DOWN; default both', oneOf(SIDES))
    .option('--order <order>', 'asc or desc; asc when --from is given', oneOf(['asc', 'desc']))
    .option('--limit <count>', 'of one page', wholeNumber(1, MOST), USUAL_LIMIT)
    .option('--all', 'every page; with --json one snapshot a line. The price is told first')
    .option('--book', 'with bids and asks, in --json')
    .option('--dry-run', 'only what it would bring and cost')
    .option('--yes', 'pay without being asked')
    .action(async (market: string, options: Options, self: Command) => {
      const invocation = begin(self)
      const { id } = await findMarket(invocation.client, market)
      if (options.dryRun === true) return showPrice(invocation, id, options)
      if (options.all === true) return showAll(invocation, id, options)
      const page = await invocation.client.snapshots.list(id, queryOf(options))
      if (invocation.isJson) return invocation.terminal.json(page)
      show(invocation, page.snapshots)
      tellOfPage(invocation, page)
    })
  withExamples(
    command,
    [
      'snapshots BTC/5m',
      'snapshots BTC/1h --from 15m --side up --dry-run',
      'snapshots BTC/1h --from 2h --all --json --yes',
    ],
    `${REFERENCE_HELP}\n${MOMENT_HELP}`,
  )
}

function queryOf({ from, to, side, order, limit, all, book }: Options) {
  return { from, to, side, order, limit: all === true ? MOST : limit, includebook: book === true }
}

function show({ terminal }: Invocation, rows: readonly TokenSnapshot[]): void {
  if (rows.length > 0) terminal.out(renderTable(COLUMNS, rows, { width: terminal.tableWidth, paint: terminal.paint }))
}

async function showPrice({ client, terminal, isJson }: Invocation, id: string, options: Options): Promise<void> {
  const price = await client.snapshots.listDryRun(id, queryOf(options))
  if (isJson) return terminal.json(price)
  const { rows, calls, credits, gap_count: gaps, coverage } = price
  terminal.line(
    `${grouped(rows)} snapshots in ${grouped(calls)} pages for ${grouped(credits)} credits; ${grouped(gaps)} gaps, ${(coverage.share * 100).toFixed(2)} % complete.`,
  )
}

async function showAll(invocation: Invocation, id: string, options: Options): Promise<void> {
  const { client, terminal, isJson, signal } = invocation
  const query = queryOf(options)
  const { rows, credits } = await client.snapshots.listDryRun(id, query)
  const question = `${grouped(rows)} snapshots cost ${grouped(credits)} credits.`
  if (!(await terminal.confirm(question, options.yes === true, signal))) return
  for await (const page of client.snapshots.pages(id, query)) {
    if (isJson) for (const row of page.snapshots) terminal.json(row)
    else show(invocation, page.snapshots)
  }
  throwIfInterrupted(signal)
}

function tellOfPage({ terminal, facts }: Invocation, page: SnapshotList): void {
  const { creditsCost = 0, creditsRemaining } = facts.last ?? {}
  const nothing = page.snapshots.length === 0 ? `Nothing is there: ${page.empty_reason ?? 'no_match'}. ` : ''
  const gaps = page.gaps.map(({ kind, cause, from, to }) => `${kind} ${timeText(from)} to ${timeText(to)} (${cause})`)
  for (const gap of gaps) terminal.note(`Gap: ${gap}`)
  const left = creditsRemaining === undefined ? '' : `, ${grouped(creditsRemaining)} are left`
  const more = page.next_cursor === null ? '' : ' More follows: --all brings everything.'
  terminal.note(`${nothing}${creditsCost} credits${left}.${more}`)
}

import type { SnapshotList, TokenSnapshot } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import { type Begin, type Invocation, throwIfInterrupted } from '../invocation.ts'
import { findMarket, REFERENCE_HELP } from '../market-reference.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { noteOtherWindow } from '../other-window.ts'
import { counted, grouped, timeText } from '../render/numbers.ts'
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

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 500

const COLUMNS: readonly Column<TokenSnapshot>[] = [
  { title: 'CAPTURED (UTC)', text: (row) => timeText(row.capture_timestamp) },
  { title: 'SEQ', text: (row) => String(row.sequence_number), isNumber: true },
  { title: 'SIDE', text: ({ side }) => side },
  { title: 'BID', text: (row) => String(row.best_bid), isNumber: true },
  { title: 'ASK', text: (row) => String(row.best_ask), isNumber: true },
  { title: 'SPREAD', text: ({ spread }) => String(spread), isNumber: true },
  { title: 'BID SIZE, 5 LEVELS', text: (row) => grouped(row.depth5_bid), isNumber: true },
  { title: 'ASK SIZE, 5 LEVELS', text: (row) => grouped(row.depth5_ask), isNumber: true },
  { title: 'SPOT', text: (row) => (row.spot_crypto_usd === null ? '–' : grouped(row.spot_crypto_usd)), isNumber: true },
  { title: 'FLAGS', text: ({ flags }) => flags.join(' '), mayShrink: true },
]

export function addSnapshots(program: Command, begin: Begin): void {
  const command = program
    .command('snapshots')
    .description('Print recorded books of a market; 10 credits per page of up to 500')
    .argument('<market>', 'condition id, slug, or coin/timeframe')
    .option('--from <time>', 'start of the range, included', moment)
    .option('--to <time>', 'end of the range, not included', moment)
    .option('--side <side>', 'token: UP or DOWN (default: both)', oneOf(SIDES))
    .option('--order <order>', 'asc or desc (default: desc, or asc with --from)', oneOf(['asc', 'desc']))
    .option('--limit <count>', 'snapshots per page', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .option('--all', 'every page; with --json one snapshot per line. Shows the price first')
    .option('--book', 'include bids and asks in the --json output')
    .option('--dry-run', 'only show the number of rows and the price of --all')
    .option('--yes', 'spend credits without asking for confirmation')
    .action(async (market: string, options: Options, self: Command) => {
      requireRange(options.from, options.to)
      const invocation = begin(self)
      const { id } = await findMarket(invocation.client, market, noteOtherWindow(invocation.terminal))
      if (options.dryRun === true) return showPrice(invocation, id, options)
      if (options.all === true) return showAll(invocation, id, options)
      const page = await invocation.client.snapshots.list(id, queryOf(options))
      if (invocation.isJson) return invocation.terminal.json(page)
      show(invocation, page.snapshots)
      reportPage(invocation, page)
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

/** A dry run shows the price of `--all`, which uses the largest pages. */
function queryOf({ from, to, side, order, limit, all, dryRun, book }: Options) {
  const pageLimit = all === true || dryRun === true ? MAX_LIMIT : limit
  return { from, to, side, order, limit: pageLimit, includebook: book === true }
}

function show({ terminal }: Invocation, rows: readonly TokenSnapshot[]): void {
  if (rows.length > 0) terminal.out(renderTable(COLUMNS, rows, { width: terminal.tableWidth, paint: terminal.paint }))
}

async function showPrice({ client, terminal, isJson }: Invocation, id: string, options: Options): Promise<void> {
  const price = await client.snapshots.listDryRun(id, queryOf(options))
  if (isJson) return terminal.json(price)
  const { rows, calls, credits, gap_count: gaps, coverage } = price
  terminal.line(
    `${counted(rows, 'snapshot')} in ${counted(calls, 'page')} for ${counted(credits, 'credit')} with --all; ${counted(gaps, 'gap')}, ${coverage.share === null ? 'nothing was recorded' : `${(coverage.share * 100).toFixed(2)} % complete`}.`,
  )
}

async function showAll(invocation: Invocation, id: string, options: Options): Promise<void> {
  const { client, terminal, isJson, signal } = invocation
  const query = queryOf(options)
  const { rows, credits } = await client.snapshots.listDryRun(id, query)
  const question = `${counted(rows, 'snapshot')} cost ${counted(credits, 'credit')}.`
  if (!(await terminal.confirm(question, options.yes === true, signal))) return
  for await (const page of client.snapshots.pages(id, query)) {
    if (isJson) for (const row of page.snapshots) terminal.json(row)
    else show(invocation, page.snapshots)
  }
  throwIfInterrupted(signal)
}

function reportPage({ terminal, facts }: Invocation, page: SnapshotList): void {
  const { creditsCost = 0, creditsRemaining } = facts.last ?? {}
  const nothing = page.snapshots.length === 0 ? `No snapshots found (${page.empty_reason ?? 'no_match'}). ` : ''
  const gaps = page.gaps.map(({ kind, cause, from, to }) => `${kind} ${timeText(from)} to ${timeText(to)} (${cause})`)
  for (const gap of gaps) terminal.note(`Gap: ${gap}`)
  const remaining = creditsRemaining === undefined ? '' : `, ${grouped(creditsRemaining)} remaining`
  const more = page.next_cursor === null ? '' : ' There are more pages: use --all to get all of them.'
  terminal.note(`${nothing}Charged ${counted(creditsCost, 'credit')}${remaining}.${more}`)
}

import type { GapEntry, ListGapsQuery } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { findMarket, REFERENCE_HELP } from '../market-reference.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { noteOtherWindow } from '../other-window.ts'
import { grouped, timeText } from '../render/numbers.ts'
import { recordedLines } from '../render/recorded-lines.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  from?: number
  to?: number
  kind?: NonNullable<ListGapsQuery['kind']>
  cause?: string
  limit: number
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 5_000

const COLUMNS: readonly Column<GapEntry>[] = [
  { title: 'FROM (UTC)', text: ({ from }) => timeText(from) },
  { title: 'TO', text: ({ to }) => timeText(to) },
  { title: 'SLOTS', text: ({ slots }) => grouped(slots), isNumber: true },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'CAUSE', text: ({ cause }) => cause },
  { title: 'DETAIL', text: ({ detail }) => detail, mayShrink: true },
]

export function addGaps(program: Command, begin: Begin): void {
  const command = program
    .command('gaps')
    .description('Show how complete the recording of a market is, and the cause of each gap')
    .argument('<market>', 'condition id, slug, or coin/timeframe')
    .option('--from <time>', 'start of the range, included', moment)
    .option('--to <time>', 'end of the range, not included', moment)
    .option('--kind <kind>', 'only gaps of this kind: missing or suspect', oneOf(['missing', 'suspect']))
    .option('--cause <cause>', 'only gaps with this cause, such as disconnected or hash_mismatch')
    .option('--limit <count>', 'maximum number of gaps', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async (market: string, { cause, ...options }: Options, self: Command) => {
      requireRange(options.from, options.to)
      const { terminal, client, isJson } = begin(self)
      const { id } = await findMarket(client, market, noteOtherWindow(terminal))
      const query = { ...options, ...(cause !== undefined && { cause: cause as NonNullable<ListGapsQuery['cause']> }) }
      const report = await client.history.gaps(id, query)
      if (isJson) return terminal.json(report)
      const { gap_count: count, gaps } = report
      for (const line of recordedLines(report)) terminal.line(line)
      if (gaps.length > 0)
        terminal.out(renderTable(COLUMNS, gaps, { width: terminal.tableWidth, paint: terminal.paint }))
      if (count > gaps.length) terminal.note(`Showing ${gaps.length} of ${count} gaps; raise --limit to see more.`)
    })
  withExamples(
    command,
    ['gaps BTC/1h', 'gaps BTC/5m --from 10m --kind missing', 'gaps BTC/1d --json'],
    `${REFERENCE_HELP}\n${MOMENT_HELP}`,
  )
}

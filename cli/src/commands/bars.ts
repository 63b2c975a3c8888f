import type { Bar } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { findMarket, REFERENCE_HELP } from '../market-reference.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { noteOtherWindow } from '../other-window.ts'
import { grouped, timeText } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

const INTERVALS = ['1s', '5s', '10s', '30s', '1m', '5m', '15m', '1h', '4h', '1d'] as const
const DEFAULT_LIMIT = 30
const MAX_LIMIT = 1_000

interface Options {
  interval: (typeof INTERVALS)[number]
  from?: number
  to?: number
  side: (typeof SIDES)[number]
  limit: number
}

const price = (value: number | null): string => (value === null ? '–' : value.toFixed(4))

const COLUMNS: readonly Column<Bar>[] = [
  { title: 'START (UTC)', text: ({ start }) => timeText(start).slice(0, 19) },
  { title: 'OPEN', text: ({ open }) => price(open), isNumber: true },
  { title: 'HIGH', text: ({ high }) => price(high), isNumber: true },
  { title: 'LOW', text: ({ low }) => price(low), isNumber: true },
  { title: 'CLOSE', text: ({ close }) => price(close), isNumber: true },
  { title: 'SPREAD', text: (bar) => price(bar.avg_spread), isNumber: true },
  { title: 'SPOT', text: (bar) => (bar.spot_close === null ? '–' : grouped(bar.spot_close)), isNumber: true },
  { title: 'SLOTS', text: (bar) => `${bar.snapshot_count}/${bar.expected_count}`, isNumber: true },
]

export function addBars(program: Command, begin: Begin): void {
  const command = program
    .command('bars')
    .description('Print open, high, low and close of a token’s mid price')
    .argument('<market>', 'condition id, slug, or coin/timeframe')
    .option('--interval <length>', `length of a bar: ${INTERVALS.join(', ')}`, oneOf(INTERVALS), '1m')
    .option('--from <time>', 'first bar starts at or after this time (default: the newest bars)', moment)
    .option('--to <time>', 'last bar starts before this time', moment)
    .option('--side <side>', 'token: UP or DOWN', oneOf(SIDES), 'UP')
    .option('--limit <count>', 'maximum number of bars', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async (market: string, { from, to, ...rest }: Options, self: Command) => {
      requireRange(from, to)
      const { terminal, client, isJson } = begin(self)
      const { id } = await findMarket(client, market, noteOtherWindow(terminal))
      const reply = await client.history.bars(id, { ...rest, from, to })
      if (isJson) return terminal.json(reply)
      if (reply.bars.length === 0)
        return terminal.note(`No bars found (${reply.empty_reason ?? 'no_match'}). Try another time range.`)
      terminal.out(renderTable(COLUMNS, reply.bars, { width: terminal.tableWidth, paint: terminal.paint }))
      if (reply.next_cursor !== null)
        terminal.note('There are more bars: raise --limit, or set --from to the last START.')
    })
  const notes = `SLOTS: recorded slots / expected slots. Fewer recorded than expected means a gap.\n${REFERENCE_HELP}\n${MOMENT_HELP}`
  withExamples(command, ['bars BTC/5m --interval 10s', 'bars BTC/1h --from 2h --side down --json'], notes)
}

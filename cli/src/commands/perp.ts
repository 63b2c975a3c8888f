import type { Command } from 'commander'
import { oneOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { timeText } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

const SERIES = ['trades', 'funding', 'open-interest', 'prices'] as const
type Series = (typeof SERIES)[number]
type Row = Readonly<Record<string, string | number | null>>

interface Options {
  from?: number
  to?: number
  limit: number
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 500

const FIGURES: Readonly<Record<Series, readonly string[]>> = {
  trades: ['action', 'price', 'size', 'trade_id'],
  funding: ['funding_rate', 'premium'],
  'open-interest': ['open_interest', 'open_interest_usd', 'day_volume'],
  prices: ['mark_price', 'oracle_price', 'mid_price'],
}

export function addPerp(program: Command, begin: Begin): void {
  const command = program
    .command('perp')
    .description('Print what is recorded of a perpetual future besides its book')
    .argument('<series>', SERIES.join(', '), oneOf(SERIES))
    .argument('<coin>', 'coin, such as BTC')
    .option('--from <time>', 'start of the range, included (default: the newest rows)', moment)
    .option('--to <time>', 'end of the range, not included', moment)
    .option('--limit <count>', 'maximum number of rows', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async (series: Series, coin: string, options: Options, self: Command) => {
      requireRange(options.from, options.to)
      const { terminal, client, isJson } = begin(self)
      const query = { ...options, symbol: coin.toUpperCase() as 'BTC' }
      const read = {
        trades: async () => rowsIn(await client.exchange.trades(query), ({ trades }) => trades),
        funding: async () => rowsIn(await client.exchange.funding(query), ({ funding }) => funding),
        'open-interest': async () =>
          rowsIn(await client.exchange.openInterest(query), ({ open_interest: interest }) => interest),
        prices: async () => rowsIn(await client.exchange.prices(query), ({ prices }) => prices),
      }
      const { reply, rows } = await read[series]()
      if (isJson) return terminal.json(reply)
      if (reply.restricted_from !== undefined)
        terminal.note(`The tier of this key includes data up to ${timeText(reply.restricted_from)} UTC.`)
      if (rows.length === 0)
        return terminal.note(`Nothing found (${reply.empty_reason ?? 'no_match'}). Try another time range.`)
      terminal.out(renderTable(columnsOf(series), rows, { width: terminal.tableWidth, paint: terminal.paint }))
      for (const { from, to, cause } of reply.gaps)
        terminal.note(`Rows may be missing from ${timeText(from)} to ${timeText(to)} UTC: ${cause}.`)
      if (reply.next_cursor !== null)
        terminal.note('There are more rows: raise --limit, or set --from to the last time.')
    })
  withExamples(
    command,
    ['perp funding BTC', 'perp trades ETH --from 10m --limit 100', 'perp prices SOL --json'],
    MOMENT_HELP,
  )
}

function rowsIn<Reply>(reply: Reply, select: (reply: Reply) => readonly object[]): { reply: Reply; rows: Row[] } {
  return { reply, rows: select(reply).map((row): Row => ({ ...row })) }
}

function columnsOf(series: Series): readonly Column<Row>[] {
  const time = series === 'trades' ? 'traded_at' : 'received_at'
  return [
    { title: 'TIME (UTC)', text: (row) => timeText(String(row[time])) },
    ...FIGURES[series].map(
      (name): Column<Row> => ({
        title: name.replaceAll('_', ' ').toUpperCase(),
        text: (row) => String(row[name] ?? '–'),
        ...(name !== 'action' && { isNumber: true }),
      }),
    ),
  ]
}

import type { CoinPrice, ListPricesQuery } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { timeText } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  source: ListPricesQuery['source']
  from?: number
  to?: number
  limit: number
  csv?: true
}

const SOURCES = ['chainlink', 'binance', 'twap60'] as const
const DEFAULT_LIMIT = 20
const MAX_LIMIT = 5_000

const COLUMNS: readonly Column<CoinPrice>[] = [
  { title: 'TIME (UTC)', text: (row) => timeText(row.price_at) },
  { title: 'PRICE', text: ({ price }) => String(price), isNumber: true },
  { title: 'RECEIVED', text: (row) => timeText(row.received_at) },
  { title: 'TIME FROM', text: (row) => row.time_from },
]

export function addPrices(program: Command, begin: Begin): void {
  const command = program
    .command('prices')
    .description('Print the recorded prices of a coin, also those that decide its windows')
    .argument('<coin>', 'coin, such as BTC')
    .option('--source <name>', `one of ${SOURCES.join(', ')}`, oneOf(SOURCES), 'chainlink')
    .option('--from <time>', 'start of the range, included (default: the newest prices)', moment)
    .option('--to <time>', 'end of the range, not included', moment)
    .option('--limit <count>', 'maximum number of prices', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .option('--csv', 'print csv')
    .action(async (coin: string, { csv, ...options }: Options, self: Command) => {
      requireRange(options.from, options.to)
      const { terminal, client, isJson } = begin(self)
      const query = { ...options, coin: coin.toUpperCase() as 'BTC' }
      if (csv === true) {
        const answer = await client.request('list_prices', { ...query, format: 'csv' })
        return terminal.out(await answer.text())
      }
      const reply = await client.history.prices(query)
      if (isJson) return terminal.json(reply)
      if (reply.prices.length === 0)
        return terminal.note(`No prices found (${reply.empty_reason ?? 'no_match'}). Try another source or time range.`)
      terminal.out(renderTable(COLUMNS, reply.prices, { width: terminal.tableWidth, paint: terminal.paint }))
      if (reply.next_cursor !== null)
        terminal.note(
          `There are more prices: raise --limit, or set ${options.from === undefined ? '--to' : '--from'} to the last time.`,
        )
    })
  withExamples(
    command,
    ['prices BTC', 'prices ETH --source binance --from 10m --limit 600 --csv', 'prices SOL --source twap60 --json'],
    `chainlink and binance are spot prices; twap60 is the mean of chainlink over 60 seconds, which decides windows.\n${MOMENT_HELP}`,
  )
}

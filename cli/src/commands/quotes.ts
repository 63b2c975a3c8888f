import type { Quote } from '@bookreel/sdk'
import type { Command } from 'commander'
import { CATEGORIES, oneOf, VENUES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { counted, grouped } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  category?: (typeof CATEGORIES)[number]
  coin?: string
  timeframe?: string
  venue?: (typeof VENUES)[number]
  limit: number
}

const DEFAULT_LIMIT = 25
const MAX_LIMIT = 500

const COLUMNS: readonly Column<Quote>[] = [
  { title: 'SLUG', text: ({ slug }) => slug, mayShrink: true },
  { title: 'BID SIZE', text: (quote) => textOf(quote.up_bid_size), isNumber: true },
  { title: 'BID', text: (quote) => textOf(quote.up_bid), isNumber: true },
  { title: 'ASK', text: (quote) => textOf(quote.up_ask), isNumber: true },
  { title: 'ASK SIZE', text: (quote) => textOf(quote.up_ask_size), isNumber: true },
  { title: 'AGE MS', text: ({ age_ms: age, stale }) => `${grouped(age)}${stale ? ' stale' : ''}`, isNumber: true },
]

const WHY_NONE: Readonly<Record<string, string>> = {
  gap: 'none of those that match has a book of the last minute.',
  tier: 'those that match are outside the tier of this key.',
}

export function addQuotes(program: Command, begin: Begin): void {
  const command = program
    .command('quotes')
    .description('Show the best prices of many markets at once, of the UP token')
    .option('--category <name>', `only this category: ${CATEGORIES.join(', ')}`, oneOf(CATEGORIES))
    .option('--coin <coin>', 'only this coin, such as BTC')
    .option('--timeframe <name>', 'only this timeframe: 5m, 15m, 1h, 4h, 1d, game, daily-high…')
    .option('--venue <name>', `only this venue: ${VENUES.join(', ')} (default: ${VENUES[0]})`, oneOf(VENUES))
    .option('--limit <count>', 'maximum number of markets', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async ({ coin, ...filters }: Options, self: Command) => {
      const { terminal, client, isJson, facts } = begin(self)
      const answer = await client.markets.quotes({ ...filters, ...(coin !== undefined && { crypto: coin }) })
      if (isJson) return terminal.json(answer)
      const { quotes, without_quote: without, total_markets: total } = answer
      if (quotes.length === 0)
        return terminal.note(
          `No market has a quote: ${WHY_NONE[facts.last?.emptyReason ?? ''] ?? 'none matches. Remove a filter.'}`,
        )
      terminal.out(renderTable(COLUMNS, quotes, { width: terminal.tableWidth, paint: terminal.paint }))
      if (without.length > 0) terminal.note(`${counted(without.length, 'market')} without a book of the last minute.`)
      if (total > quotes.length + without.length)
        terminal.note(`Showing ${quotes.length} of ${total} markets; raise --limit to see more.`)
    })
  withExamples(command, ['quotes --coin BTC', 'quotes --category sports --limit 100', 'quotes --venue kalshi --json'])
}

/** A dash where that side of the book is empty. */
function textOf(value: number | null): string {
  return value === null ? '–' : String(value)
}

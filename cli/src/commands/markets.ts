import type { ListLiveMarketsQuery, LiveMarket } from '@bookreel/sdk'
import type { Command } from 'commander'
import { CATEGORIES, oneOf, VENUES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { durationText } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  category?: (typeof CATEGORIES)[number]
  coin?: string
  timeframe?: string
  subcategory?: string
  status?: NonNullable<ListLiveMarketsQuery['status']>
  venue?: (typeof VENUES)[number]
  limit: number
  results?: true
}

const STATUSES = ['live', 'upcoming', 'settling', 'expired'] as const
const DEFAULT_LIMIT = 25
const MAX_LIMIT = 5_000

const COLUMNS: readonly Column<LiveMarket>[] = [
  { title: 'SLUG', text: ({ slug }) => slug, mayShrink: true },
  { title: 'QUESTION', text: ({ question }) => question, mayShrink: true },
  { title: 'CATEGORY', text: ({ category }) => category },
  { title: 'TOPIC', text: ({ subcategory }) => subcategory, mayShrink: true },
  { title: 'SERIES', text: ({ timeframe }) => timeframe },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ENDS IN', text: ({ expiresIn }) => (expiresIn > 0 ? durationText(expiresIn) : '–'), isNumber: true },
]

const RESULT_COLUMNS: readonly Column<LiveMarket>[] = [
  { title: 'RESULT', text: ({ resolvedOutcome }) => resolvedOutcome ?? '–' },
  { title: 'TO BEAT', text: ({ priceToBeat }) => priceText(priceToBeat), isNumber: true },
  { title: 'SETTLED AT', text: ({ settlementPrice }) => priceText(settlementPrice), isNumber: true },
]

export function addMarkets(program: Command, begin: Begin): void {
  const command = program
    .command('markets')
    .description('List live and upcoming markets, the one that ends next first')
    .option('--category <name>', `only this category: ${CATEGORIES.join(', ')}`, oneOf(CATEGORIES))
    .option('--coin <coin>', 'only this coin, such as BTC')
    .option('--timeframe <name>', 'only this timeframe: 5m, 15m, 1h, 4h, 1d, game, daily-high…')
    .option('--subcategory <name>', 'only this coin, league, topic or city, spelled as in the column TOPIC')
    .option('--status <status>', `only this status: ${STATUSES.join(', ')}`, oneOf(STATUSES))
    .option('--venue <name>', `only this venue: ${VENUES.join(', ')} (default: ${VENUES[0]})`, oneOf(VENUES))
    .option('--limit <count>', 'maximum number of markets', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .option('--results', 'also show the outcome, the price to beat and the settlement price; --limit is at most 500')
    .action(async ({ coin, ...filters }: Options, self: Command) => {
      const { terminal, client, isJson, facts } = begin(self)
      const query = { ...filters, ...(coin !== undefined && { crypto: coin }) }
      const answer = await client.request('list_live_markets', query)
      const markets = (await answer.json()) as LiveMarket[]
      if (isJson) return terminal.json(markets)
      if (markets.length === 0)
        return terminal.note(
          `No market matches (${facts.last?.emptyReason ?? 'no_match'}). Remove a filter to see more.`,
        )
      const columns = filters.results === true ? [...COLUMNS, ...RESULT_COLUMNS] : COLUMNS
      terminal.out(renderTable(columns, markets, { width: terminal.tableWidth, paint: terminal.paint }))
      const total = Number(answer.headers.get('x-total-count') ?? markets.length)
      if (total > markets.length)
        terminal.note(`Showing ${markets.length} of ${total} markets; raise --limit to see more.`)
    })
  withExamples(command, [
    'markets --coin BTC',
    'markets --venue kalshi --category economics',
    'markets --category sports --status live --limit 100',
    'markets --coin BTC --status expired --results',
    'markets --json',
  ])
}

/** Prices of coins are averages with many digits; `--json` has them all. */
function priceText(price: number | undefined): string {
  return price === undefined ? '–' : String(Number(price.toPrecision(8)))
}

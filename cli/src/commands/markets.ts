import type { ListLiveMarketsQuery, LiveMarket } from '@bookreel/sdk'
import type { Command } from 'commander'
import { CATEGORIES, oneOf, wholeNumber } from '../arguments.ts'
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
  limit: number
}

const STATUSES = ['live', 'upcoming', 'settling', 'expired'] as const
const USUAL_LIMIT = 25
const MOST = 5_000

const COLUMNS: readonly Column<LiveMarket>[] = [
  { title: 'SLUG', text: ({ slug }) => slug, mayShrink: true },
  { title: 'QUESTION', text: ({ question }) => question, mayShrink: true },
  { title: 'CATEGORY', text: ({ category }) => category },
  { title: 'OF', text: ({ subcategory }) => subcategory, mayShrink: true },
  { title: 'SERIES', text: ({ timeframe }) => timeframe },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ENDS IN', text: ({ expiresIn }) => (expiresIn > 0 ? durationText(expiresIn) : '–'), isNumber: true },
]

export function addMarkets(program: Command, begin: Begin): void {
  const command = program
    .command('markets')
    .description('Markets that are live or about to be, the soonest-ending first')
    .option('--category <name>', CATEGORIES.join(', '), oneOf(CATEGORIES))
    .option('--coin <coin>', 'only of this coin, such as BTC')
    .option('--timeframe <name>', '5m, 15m, 1h, 4h, 1d, game, daily-high…')
    .option('--subcategory <name>', 'coin, league, topic or city, exactly as listed')
    .option('--status <status>', STATUSES.join(', '), oneOf(STATUSES))
    .option('--limit <count>', 'how many at most', wholeNumber(1, MOST), USUAL_LIMIT)
    .action(async ({ coin, ...filters }: Options, self: Command) => {
      const { terminal, client, isJson, facts } = begin(self)
      const query = { ...filters, ...(coin !== undefined && { crypto: coin }) }
      const answer = await client.request('list_live_markets', query)
      const markets = (await answer.json()) as LiveMarket[]
      if (isJson) return terminal.json(markets)
      if (markets.length === 0)
        return terminal.note(`No market is like that (${facts.last?.emptyReason ?? 'no_match'}).`)
      terminal.out(renderTable(COLUMNS, markets, { width: terminal.tableWidth, paint: terminal.paint }))
      const total = Number(answer.headers.get('x-total-count') ?? markets.length)
      if (total > markets.length) terminal.note(`${markets.length} of ${total}; --limit shows more.`)
    })
  withExamples(command, ['markets --coin BTC', 'markets --category sports --status live --limit 100', 'markets --json'])
}

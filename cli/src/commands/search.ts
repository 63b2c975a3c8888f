import type { MarketHit } from '@bookreel/sdk'
import type { Command } from 'commander'
import { CATEGORIES, oneOf, VENUES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  category?: (typeof CATEGORIES)[number]
  venue?: (typeof VENUES)[number]
  limit: number
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

const COLUMNS: readonly Column<MarketHit>[] = [
  { title: 'SLUG', text: ({ slug }) => slug, mayShrink: true },
  { title: 'QUESTION', text: ({ question }) => question, mayShrink: true },
  { title: 'CATEGORY', text: ({ category }) => category },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ENDS', text: ({ end_date: end }) => end.slice(0, 16).replace('T', ' ') },
]

function noneText(reason = 'no_match'): string {
  const advice = reason === 'tier' ? 'Markets that match are outside the tier of this key.' : 'Try fewer words.'
  return `No market matches (${reason}). ${advice}`
}

export function addSearch(program: Command, begin: Begin): void {
  const command = program
    .command('search')
    .description('Find markets by words, the best match first; misspelled words are found, too')
    .argument('<words...>', 'words of the question, the event or the slug')
    .option('--category <name>', `only this category: ${CATEGORIES.join(', ')}`, oneOf(CATEGORIES))
    .option('--venue <name>', `only this venue: ${VENUES.join(', ')} (default: ${VENUES[0]})`, oneOf(VENUES))
    .option('--limit <count>', 'maximum number of markets', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async (words: string[], filters: Options, self: Command) => {
      const { terminal, client, isJson, facts } = begin(self)
      const answer = await client.request('search_markets', { q: words.join(' '), ...filters })
      const markets = (await answer.json()) as MarketHit[]
      if (isJson) return terminal.json(markets)
      if (markets.length === 0) return terminal.note(noneText(facts.last?.emptyReason))
      terminal.out(renderTable(COLUMNS, markets, { width: terminal.tableWidth, paint: terminal.paint }))
      const total = Number(answer.headers.get('x-total-count') ?? markets.length)
      if (total > markets.length)
        terminal.note(`Showing ${markets.length} of ${total} markets; raise --limit or use more words.`)
    })
  withExamples(command, ['search federal reserve', 'search bitcoin --limit 5', 'search rain --category weather --json'])
}

import type { EventMarket, MarketEvent } from '@bookreel/sdk'
import type { Command } from 'commander'
import { CATEGORIES, oneOf, VENUES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { grouped } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  category?: (typeof CATEGORIES)[number]
  venue?: (typeof VENUES)[number]
  limit: number
}

const DEFAULT_LIMIT = 25
const MAX_LIMIT = 500

const COLUMNS: readonly Column<MarketEvent>[] = [
  { title: 'EVENT', text: ({ event }) => event, mayShrink: true },
  { title: 'TITLE', text: ({ title }) => title, mayShrink: true },
  { title: 'MARKETS', text: ({ markets }) => grouped(markets), isNumber: true },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'END', text: ({ end_date: end }) => end },
]

const MARKET_COLUMNS: readonly Column<EventMarket>[] = [
  { title: 'SLUG', text: ({ slug }) => slug, mayShrink: true },
  { title: 'LABEL', text: ({ label }) => label, mayShrink: true },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'RESULT', text: ({ resolved_outcome: outcome }) => outcome ?? '–' },
  { title: 'END', text: ({ end_date: end }) => end },
]

export function addEvents(program: Command, begin: Begin): void {
  const command = program
    .command('events')
    .description('List events, which are groups of markets, or the markets of one event')
    .argument('[event]', 'slug of an event')
    .option('--category <name>', `only events of this category: ${CATEGORIES.join(', ')}`, oneOf(CATEGORIES))
    .option('--venue <name>', `only this venue: ${VENUES.join(', ')} (default: ${VENUES[0]})`, oneOf(VENUES))
    .option('--limit <count>', 'maximum number of events or markets', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async (event: string | undefined, { category, ...page }: Options, self: Command) => {
      const { terminal, client, isJson } = begin(self)
      const style = { width: terminal.tableWidth, paint: terminal.paint }
      if (event !== undefined) {
        const answer = await client.markets.event(event, page)
        if (isJson) return terminal.json(answer)
        terminal.out(renderTable(MARKET_COLUMNS, answer.markets, style))
        return
      }
      const answer = await client.markets.events({ ...page, ...(category !== undefined && { category }) })
      if (isJson) return terminal.json(answer)
      if (answer.events.length === 0) return terminal.note('No event matches. Remove a filter.')
      terminal.out(renderTable(COLUMNS, answer.events, style))
      if (answer.total_events > answer.events.length)
        terminal.note(`Showing ${answer.events.length} of ${answer.total_events} events; raise --limit to see more.`)
    })
  withExamples(command, ['events --category sports', 'events fed-decision-in-december', 'events --venue kalshi --json'])
}

import type { Bookreel, CoveragePart } from '@bookreel/sdk'
import type { Command } from 'commander'
import { CATEGORIES, oneOf, VENUES } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { findMarket, REFERENCE_HELP, readReference } from '../market-reference.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { noteOtherWindow, type OnOtherWindow } from '../other-window.ts'
import { grouped, timeText } from '../render/numbers.ts'
import { percent } from '../render/percent.ts'
import { type Column, renderTable } from '../render/table.ts'

interface Options {
  by: 'hour' | 'day'
  from?: number
  to?: number
  category?: (typeof CATEGORIES)[number]
  venue?: (typeof VENUES)[number]
}

const COLUMNS: readonly Column<CoveragePart>[] = [
  { title: 'START (UTC)', text: ({ start }) => timeText(start) },
  { title: 'CONDITION', text: ({ condition }) => condition },
  { title: 'COMPLETE', text: ({ share }) => `${percent(share, 3)} %`, isNumber: true },
  { title: 'EXPECTED', text: (part) => grouped(part.expected_slots), isNumber: true },
  { title: 'MISSING', text: (part) => grouped(part.missing_slots), isNumber: true },
  { title: 'IN DOUBT', text: (part) => grouped(part.suspect_slots), isNumber: true },
  { title: 'CAUSES', text: ({ causes }) => causesText(causes), mayShrink: true },
]

export function addCoverage(program: Command, begin: Begin): void {
  const command = program
    .command('coverage')
    .description('Show how complete a market, or all of them, is by day or hour')
    .argument('[market]', 'condition id, slug, coin/timeframe, or coin/perp; without it, all markets together')
    .option('--by <part>', 'day or hour', oneOf(['day', 'hour']), 'day')
    .option('--from <time>', 'start of the range, included', moment)
    .option('--to <time>', 'end of the range, not included', moment)
    .option('--category <name>', `of all markets, only this category: ${CATEGORIES.join(', ')}`, oneOf(CATEGORIES))
    .option('--venue <name>', `of all markets, only this venue: ${VENUES.join(', ')} (default: all)`, oneOf(VENUES))
    .action(async (market: string | undefined, options: Options, self: Command) => {
      requireRange(options.from, options.to)
      const { terminal, client, isJson } = begin(self)
      const answer = await read(client, market, options, noteOtherWindow(terminal))
      if (isJson) return terminal.json(answer)
      const { parts } = answer
      if (parts.length === 0) return terminal.note(noneText(market, answer.empty_reason))
      terminal.out(renderTable(COLUMNS, parts, { width: terminal.tableWidth, paint: terminal.paint }))
    })
  withExamples(
    command,
    ['coverage BTC/1h --by hour', 'coverage --category crypto --from 30d', 'coverage --by hour --from 1d --json'],
    `${REFERENCE_HELP}\n${MOMENT_HELP}`,
  )
}

async function read(
  client: Bookreel,
  market: string | undefined,
  { category, venue, ...range }: Options,
  onOtherWindow: OnOtherWindow,
) {
  if (market === undefined) return client.history.coverage({ ...range, category, venue })
  const reference = readReference(market)
  if (reference.kind === 'perp') return client.exchange.coverage({ ...range, symbol: reference.symbol as 'BTC' })
  return client.history.marketCoverage((await findMarket(client, market, onOtherWindow)).id, range)
}

/** The sums of all markets are counted some minutes after the end of an hour. */
function noneText(market: string | undefined, reason = 'outside_capture'): string {
  const counted = market === undefined ? ' A finished hour is counted within minutes of its end.' : ''
  return `Nothing is recorded in this range (${reason}).${counted}`
}

/** The most frequent cause first. */
function causesText(causes: Readonly<Record<string, number>>): string {
  return Object.entries(causes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([cause, slots]) => `${cause} ${grouped(slots)}`)
    .join(', ')
}

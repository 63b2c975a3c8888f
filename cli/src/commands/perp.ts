import type { Bookreel, ListExchangeTradesQuery } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { timeText } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

const SERIES = ['trades', 'funding', 'open-interest', 'prices', 'bars', 'gaps'] as const
type Series = (typeof SERIES)[number]
type Row = Readonly<Record<string, string | number | null>>

/** What the replies have in common. */
interface PerpReply {
  readonly restricted_from?: string
  readonly empty_reason?: string
  readonly next_cursor?: string | null
  /** Of gaps: those on all pages. */
  readonly gap_count?: number
  /** Of other series: the times in `gaps` are only the first. */
  readonly gaps_left_out?: number
  readonly gaps?: readonly { readonly from: string; readonly to: string; readonly cause: string }[]
}

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
  bars: ['open', 'high', 'low', 'close', 'snapshot_count', 'expected_count'],
  gaps: ['to', 'slots', 'kind', 'cause'],
}
const TIMES: Readonly<Partial<Record<Series, string>>> = { trades: 'traded_at', bars: 'start', gaps: 'from' }
const TEXTS: ReadonlySet<string> = new Set(['action', 'to', 'kind', 'cause'])

export function addPerp(program: Command, begin: Begin): void {
  const command = program
    .command('perp')
    .description('Print trades, funding, open interest, prices, bars or gaps of a perpetual future')
    .argument('<series>', SERIES.join(', '), oneOf(SERIES))
    .argument('<coin>', 'coin, such as BTC')
    .option('--from <time>', 'start of the range, included (default: the newest rows)', moment)
    .option('--to <time>', 'end of the range, not included', moment)
    .option('--limit <count>', 'maximum number of rows', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async (series: Series, coin: string, options: Options, self: Command) => {
      requireRange(options.from, options.to)
      const { terminal, client, isJson } = begin(self)
      const { reply, rows } = await read(client.exchange, series, { ...options, symbol: coin.toUpperCase() as 'BTC' })
      if (isJson) return terminal.json(reply)
      if (reply.restricted_from !== undefined)
        terminal.note(`The tier of this key includes data up to ${timeText(reply.restricted_from)} UTC.`)
      if (rows.length === 0)
        return terminal.note(`Nothing found (${reply.empty_reason ?? 'no_match'}). Try another time range.`)
      terminal.out(renderTable(columnsOf(series), rows, { width: terminal.tableWidth, paint: terminal.paint }))
      if (reply.gap_count !== undefined && rows.length < reply.gap_count)
        terminal.note(`Showing ${rows.length} of ${reply.gap_count} gaps; raise --limit to see more.`)
      for (const { from, to, cause } of series === 'gaps' ? [] : (reply.gaps ?? []))
        terminal.note(`Rows may be missing from ${timeText(from)} to ${timeText(to)} UTC: ${cause}.`)
      if (reply.gaps_left_out !== undefined)
        terminal.note(`Rows may be missing at ${reply.gaps_left_out} further times; ask for a shorter range.`)
      if (series !== 'gaps' && typeof reply.next_cursor === 'string')
        terminal.note(
          `There are more rows: raise --limit, or set ${options.from === undefined ? '--to' : '--from'} to the last time.`,
        )
    })
  withExamples(
    command,
    ['perp funding BTC', 'perp trades ETH --from 10m --limit 100', 'perp prices SOL --json'],
    MOMENT_HELP,
  )
}

async function read(
  exchange: Bookreel['exchange'],
  series: Series,
  query: ListExchangeTradesQuery,
): Promise<{ reply: PerpReply; rows: readonly Row[] }> {
  const answer = <Reply extends PerpReply>(reply: Reply, rows: readonly object[]) => ({
    reply,
    rows: rows.map((row): Row => ({ ...row })),
  })
  switch (series) {
    case 'trades': {
      const reply = await exchange.trades(query)
      return answer(reply, reply.trades)
    }
    case 'funding': {
      const reply = await exchange.funding(query)
      return answer(reply, reply.funding)
    }
    case 'open-interest': {
      const reply = await exchange.openInterest(query)
      return answer(reply, reply.open_interest)
    }
    case 'prices': {
      const reply = await exchange.prices(query)
      return answer(reply, reply.prices)
    }
    case 'bars': {
      const reply = await exchange.bars(query)
      return answer(reply, reply.bars)
    }
    case 'gaps': {
      const reply = await exchange.gaps(query)
      return answer(reply, reply.gaps)
    }
  }
}

function columnsOf(series: Series): readonly Column<Row>[] {
  const time = TIMES[series] ?? 'received_at'
  return [
    { title: 'TIME (UTC)', text: (row) => timeText(String(row[time])) },
    ...FIGURES[series].map(
      (name): Column<Row> => ({
        title: name.replaceAll('_', ' ').toUpperCase(),
        text: (row) => String(row[name] ?? '–'),
        ...(!TEXTS.has(name) && { isNumber: true }),
      }),
    ),
  ]
}

import type { Bookreel, GetMarketHeatmapQuery } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { findMarket, REFERENCE_HELP, readReference } from '../market-reference.ts'
import { MOMENT_HELP, moment } from '../moment.ts'
import { noteOtherWindow } from '../other-window.ts'
import { renderHeatMap } from '../render/heat-map.ts'
import { counted } from '../render/numbers.ts'

interface Options {
  from?: number
  side: (typeof SIDES)[number]
  columnMs?: number
  step?: string
  yes?: true
}

const STEPS = ['0.001', '0.005', '0.01', '0.05'] as const
const HEIGHT = 24
const COLUMNS = 256
/** A column with fewer slots or less time counts as an exact book. */
const FREE_FROM_SLOTS = 4
const FREE_FROM_MS = 1_000

export function addHeatmap(program: Command, begin: Begin): void {
  const command = program
    .command('heatmap')
    .description('Draw the sizes of a recorded market by time and price')
    .argument('<market>', 'condition id, slug, coin/timeframe, or coin/perp')
    .option('--from <time>', 'a time in the tile of 256 columns (default: now)', moment)
    .option('--side <side>', 'UP or DOWN', oneOf(SIDES), 'UP')
    .option(
      '--column-ms <ms>',
      'length of a column: the sampling interval times 1, 2, 4 … 256',
      wholeNumber(1, 1_000_000),
    )
    .option('--step <price>', `price step: ${STEPS.join(', ')}; of a perpetual future any price`)
    .option('--yes', 'spend credits without asking for confirmation')
    .action(async (market: string, { from = Date.now(), side, columnMs, step, yes }: Options, self: Command) => {
      const { terminal, client, isJson, facts, signal } = begin(self)
      const query = { from, column_ms: columnMs, price_step: step }
      const reference = readReference(market)
      const subject: Subject =
        reference.kind === 'perp'
          ? { symbol: reference.symbol as 'BTC' }
          : { id: (await findMarket(client, market, noteOtherWindow(terminal))).id }
      const credits = columnMs === undefined ? 0 : await mostCredits(client, subject, columnMs)
      const price = `A tile with columns of ${columnMs} ms costs up to ${counted(credits, 'credit')}.`
      if (credits > 0 && !(await terminal.confirm(`${price} Continue?`, yes === true, signal))) return
      const tile =
        'symbol' in subject
          ? await client.exchange.heatmap({ ...query, ...subject })
          : await client.history.marketHeatmap(subject.id, {
              ...query,
              side,
              price_step: step as NonNullable<GetMarketHeatmapQuery['price_step']> | undefined,
            })
      if (isJson) return terminal.json(tile)
      const lines = renderHeatMap(tile, { width: terminal.tableWidth, height: HEIGHT })
      if (lines.length === 0) return terminal.note(`This tile has no rows (${facts.last?.emptyReason}).`)
      for (const line of lines) terminal.line(line)
    })
  withExamples(
    command,
    [
      'heatmap BTC/1h',
      'heatmap BTC/5m --column-ms 1000',
      'heatmap BTC/5m --column-ms 250 --yes',
      'heatmap BTC/perp --from 10m',
      'heatmap BTC/1h --from 1h --side DOWN --json',
    ],
    `Free when a column has at least four slots and is at least one second long; each column of a finer tile counts as an exact book; "bookreel limits" shows how many of them are free today.\n${REFERENCE_HELP}\n${MOMENT_HELP}`,
  )
}

type Subject = { readonly symbol: 'BTC' } | { readonly id: string }

async function intervalMsOf(client: Bookreel, subject: Subject): Promise<number> {
  const coverage =
    'symbol' in subject ? await client.exchange.coverage(subject) : await client.history.marketCoverage(subject.id)
  return coverage.capture_interval_ms
}

async function mostCredits(client: Bookreel, subject: Subject, columnMs: number): Promise<number> {
  const slots = columnMs / (await intervalMsOf(client, subject))
  if (slots >= FREE_FROM_SLOTS && columnMs >= FREE_FROM_MS) return 0
  const { freeBooksLeft, booksPerCredit } = await client.account.limits()
  return Math.ceil(Math.max(0, COLUMNS - (freeBooksLeft ?? COLUMNS)) / booksPerCredit)
}

import type { GetMarketHeatmapQuery } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { findMarket, REFERENCE_HELP, readReference } from '../market-reference.ts'
import { MOMENT_HELP, moment } from '../moment.ts'
import { noteOtherWindow } from '../other-window.ts'
import { renderHeatMap } from '../render/heat-map.ts'

interface Options {
  from?: number
  side: (typeof SIDES)[number]
  columnMs?: number
  step?: string
}

const STEPS = ['0.001', '0.005', '0.01', '0.05'] as const
const HEIGHT = 24

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
    .action(async (market: string, { from = Date.now(), side, columnMs, step }: Options, self: Command) => {
      const { terminal, client, isJson, facts } = begin(self)
      const query = { from, column_ms: columnMs, price_step: step }
      const reference = readReference(market)
      const tile =
        reference.kind === 'perp'
          ? await client.exchange.heatmap({ ...query, symbol: reference.symbol as 'BTC' })
          : await client.history.marketHeatmap((await findMarket(client, market, noteOtherWindow(terminal))).id, {
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
      'heatmap BTC/perp --from 10m',
      'heatmap BTC/1h --from 1h --side DOWN --json',
    ],
    `${REFERENCE_HELP}\n${MOMENT_HELP}`,
  )
}

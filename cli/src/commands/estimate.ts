import type { Command } from 'commander'
import { CATEGORIES, oneOf, VENUES } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { findMarket, REFERENCE_HELP } from '../market-reference.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { noteOtherWindow } from '../other-window.ts'
import { bytesText, counted, grouped } from '../render/numbers.ts'
import { percent } from '../render/percent.ts'
import { renderFacts } from '../render/table.ts'

interface Options {
  product: 'hours' | 'snapshots' | 'replay'
  from: number
  to: number
  coin?: string
  timeframe?: string
  category?: (typeof CATEGORIES)[number]
  venue?: (typeof VENUES)[number]
}

export function addEstimate(program: Command, begin: Begin): void {
  const command = program
    .command('estimate')
    .description('Show rows, cost and completeness of a download or replay before you pay for it; free of charge')
    .argument('[markets...]', 'condition ids, slugs, or coin/timeframe; or use --coin or --category')
    .requiredOption('--from <time>', 'start of the range, included', moment)
    .requiredOption('--to <time>', 'end of the range, not included', moment)
    .option(
      '--product <name>',
      'hours (Parquet files), snapshots (pages), or replay (the channel book of given markets)',
      oneOf(['hours', 'snapshots', 'replay']),
      'hours',
    )
    .option('--coin <coin>', 'the windows of this coin, such as BTC')
    .option('--timeframe <name>', 'only this timeframe: 5m, 15m, 1h, 4h, 1d, game, daily-high…')
    .option('--category <name>', `all markets of this category: ${CATEGORIES.join(', ')}`, oneOf(CATEGORIES))
    .option('--venue <name>', `only this venue: ${VENUES.join(', ')} (default: ${VENUES[0]})`, oneOf(VENUES))
    .action(async (markets: string[], { from, to, ...choice }: Options, self: Command) => {
      requireRange(from, to)
      const { terminal, client, isJson } = begin(self)
      const ids: string[] = []
      for (const market of markets) ids.push((await findMarket(client, market, noteOtherWindow(terminal))).id)
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      const answer = await client.history.estimate({ ...choice, ...range, ...(ids.length > 0 && { markets: ids }) })
      if (isJson) return terminal.json(answer)
      const complete = answer.share === null ? 'nothing was recorded' : `${percent(answer.share, 4)} %`
      terminal.out(
        renderFacts(
          [
            ['markets', grouped(answer.market_count)],
            ['rows', grouped(answer.rows)],
            ['requests', grouped(answer.calls)],
            ['size', `about ${bytesText(answer.approximate_bytes)}`],
            ['cost', `${counted(answer.credits, 'credit')}; you have ${grouped(answer.credits_available)}`],
            ['complete', `${complete}, ${counted(answer.gap_count, 'gap')}`],
          ],
          terminal.paint,
        ),
      )
      if (answer.unfinished_hours > 0)
        terminal.note(`${counted(answer.unfinished_hours, 'hour file')} not finished yet, not counted.`)
      if (!answer.is_included) terminal.note('The tier of this key does not include this product.')
    })
  withExamples(
    command,
    [
      'estimate BTC/1h --from 3h --to 1h',
      'estimate --coin BTC --timeframe 5m --from 1d --to 1h',
      'estimate --category sports --from 2h --to 1h --json',
    ],
    `${REFERENCE_HELP}\n${MOMENT_HELP}`,
  )
}

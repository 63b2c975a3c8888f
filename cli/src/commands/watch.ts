import type { Command } from 'commander'
import { someOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { REFERENCE_HELP } from '../market-reference.ts'
import { noteOtherWindow } from '../other-window.ts'
import { CHANNELS, type FollowOptions, followRequest, printEvents } from './follow.ts'

export function addWatch(program: Command, begin: Begin): void {
  const command = program
    .command('watch')
    .description('Print live events of markets, one line per frame, until Ctrl-C')
    .argument('<market...>', 'condition ids, slugs, coin/timeframe, or category:crypto')
    .option('--channels <names>', `comma-separated: ${CHANNELS.join(', ')}`, someOf(CHANNELS), ['book', 'market'])
    .option('--depth <levels>', 'levels per side (default: all)', wholeNumber(1, 1_000))
    .option('--interval <ms>', 'minimum milliseconds between two frames of a market', wholeNumber(100, 60_000))
    .action(async (markets: string[], options: FollowOptions, self: Command) => {
      const invocation = begin(self)
      const { client, terminal } = invocation
      const { request, names } = await followRequest(client, markets, options, noteOtherWindow(terminal))
      await printEvents(invocation, client.stream(request), names)
    })
  withExamples(
    command,
    [
      'watch BTC/5m',
      'watch BTC/5m ETH/15m --channels bbo,trade',
      'watch category:crypto --interval 1000 --json | gzip > frames.gz',
    ],
    `${REFERENCE_HELP}\nReconnects automatically and reports missed slots as gaps. Needs a tier that includes streams.`,
  )
}

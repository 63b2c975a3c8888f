import type { Command } from 'commander'
import { someOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { REFERENCE_HELP } from '../market-reference.ts'
import { CHANNELS, type FollowOptions, followed, printEvents } from './follow.ts'

export function addWatch(program: Command, begin: Begin): void {
  const command = program
    .command('watch')
    .description('What happens in markets, one line for each frame, until Ctrl-C')
    .argument('<market...>', 'condition ids, slugs, coin/timeframe, or category:crypto')
    .option('--channels <names>', `${CHANNELS.join(', ')}, with commas`, someOf(CHANNELS), ['book', 'market'])
    .option('--depth <levels>', 'of each side; default all', wholeNumber(1, 1_000))
    .option('--interval <ms>', 'frames no more often than this', wholeNumber(100, 60_000))
    .action(async (markets: string[], options: FollowOptions, self: Command) => {
      const invocation = begin(self)
      const { client } = invocation
      const { request, names } = await followed(client, markets, options)
      await printEvents(invocation, client.stream(request), names)
    })
  withExamples(
    command,
    [
      'watch BTC/5m',
      'watch BTC/5m ETH/15m --channels bbo,trade',
      'watch category:crypto --interval 1000 --json | gzip > frames.gz',
    ],
    `${REFERENCE_HELP}\nIt comes back by itself after a break, and tells what was missed. Needs a tier with streams.`,
  )
}

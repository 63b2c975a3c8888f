import { jetstream } from '@nats-io/jetstream'
import { type Command, InvalidArgumentError } from 'commander'
import { drainBus } from '../bus/connect.ts'
import { reshard } from '../bus/reshard.ts'
import { openBus } from '../wiring/engines.ts'
import { PRICE_SHARDS, shardCounts } from '../wiring/recorded-venues.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'

const MOST_SHARDS = 1_024

/** `bookreel-server reshard`: another number of shards, while no recorder runs. */
export function addReshardCommand(program: Command, { readConfig, print, complain }: OperatorTools): void {
  const command = program
    .command('reshard')
    .description(
      'change the number of shards of a venue: waits until the archive has stored all rows, then moves the markets to their new shards; no stored row changes. Stop all recorders first, and set <VENUE>_SHARDS everywhere afterwards',
    )
    .argument('<venue>', 'id of the venue, such as polymarket')
    .argument('<count>', 'new number of shards', countIn)
    .action(async (group: string, count: number) => {
      const config = await readConfig()
      const venues = [...shardCounts(config).keys()].filter((each) => each !== PRICE_SHARDS.group)
      if (!venues.includes(group)) throw new Error(`No venue has the id ${group}. Known: ${venues.join(', ')}.`)
      const connection = await openBus(config, 'reshard')
      try {
        const { from, to, markets } = await reshard(jetstream(connection), {
          group,
          count,
          onWaiting: (messages) => complain(`${messages} messages wait for the archive`),
        })
        print(`${group}: ${from} shards before, ${to} now; ${markets} markets are followed on.`)
        print(`Set ${group.toUpperCase()}_SHARDS=${to} for all roles, and start them again.`)
      } finally {
        await drainBus(connection)
      }
    })
  withExamples(command, 'reshard polymarket 16')
}

function countIn(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= MOST_SHARDS) return count
  throw new InvalidArgumentError(`It must be a whole number between 1 and ${MOST_SHARDS}.`)
}

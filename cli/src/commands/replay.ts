import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { someOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { REFERENCE_HELP } from '../market-reference.ts'
import { MOMENT_HELP, moment } from '../moment.ts'
import { grouped } from '../render/numbers.ts'
import { CHANNELS, type FollowOptions, followed, printEvents } from './follow.ts'

interface Options extends FollowOptions {
  speed: number | 'max'
  dryRun?: true
  yes?: true
}

function speed(text: string): number | 'max' {
  if (text === 'max') return text
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new InvalidArgumentError('Give a number above 0, or max.')
}

export function addReplay(program: Command, begin: Begin): void {
  const command = program
    .command('replay')
    .description('The past in the lines of watch, as fast as you like')
    .argument('<from>', 'where it begins', moment)
    .argument('<to>', 'where it ends', moment)
    .argument('<market...>', 'condition ids, slugs, or coin/timeframe for every window of that time')
    .option('--speed <times>', 'times real time, or max', speed, 1)
    .option('--channels <names>', 'book, bbo, trade, with commas', someOf(CHANNELS), ['book'])
    .option('--depth <levels>', 'of each side; default all', wholeNumber(1, 1_000))
    .option('--interval <ms>', 'frames no more often than this', wholeNumber(100, 60_000))
    .option('--dry-run', 'only what it would bring and cost')
    .option('--yes', 'pay without being asked')
    .action(async (from: number, to: number, markets: string[], options: Options, self: Command) => {
      const invocation = begin(self)
      const { client, terminal, isJson, signal } = invocation
      const { request, names } = await followed(client, markets, options)
      const wanted = { ...request, from, to, speed: options.speed }
      const plan = await client.replayDryRun(wanted)
      if (options.dryRun === true && isJson) return terminal.json(plan)
      const price = `${grouped(plan.rows)} rows of ${grouped(plan.markets)} markets cost up to ${grouped(plan.credits)} credits.`
      if (options.dryRun === true) return terminal.line(price)
      if (!(await terminal.confirm(price, options.yes === true || plan.credits === 0, signal))) return
      await printEvents(invocation, client.replay(wanted), names)
    })
  withExamples(
    command,
    [
      'replay 10m 5m BTC/5m --speed 10',
      'replay 2026-11-15T12:00:00Z 2026-11-15T12:05:00Z BTC/5m --speed max --json --yes',
    ],
    `${REFERENCE_HELP}\n${MOMENT_HELP}`,
  )
}

import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { someOf, wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { REFERENCE_HELP } from '../market-reference.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { refuseOtherWindow } from '../other-window.ts'
import { counted } from '../render/numbers.ts'
import { CHANNELS, type FollowOptions, followRequest, printEvents } from './follow.ts'

interface Options extends FollowOptions {
  speed: number | 'max'
  dryRun?: true
  yes?: true
}

function speed(text: string): number | 'max' {
  if (text === 'max') return text
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new InvalidArgumentError('Must be a number above 0, or max.')
}

export function addReplay(program: Command, begin: Begin): void {
  const command = program
    .command('replay')
    .description('Replay recorded markets in the output format of watch, at any speed')
    .argument('<from>', 'start time, included', moment)
    .argument('<to>', 'end time, not included', moment)
    .argument('<market...>', 'condition ids, slugs, or coin/timeframe for every window in the range')
    .option('--speed <times>', 'multiple of real time, or max', speed, 1)
    .option('--channels <names>', 'comma-separated: book, bbo, trade', someOf(CHANNELS), ['book'])
    .option('--depth <levels>', 'levels per side (default: all)', wholeNumber(1, 1_000))
    .option('--interval <ms>', 'minimum milliseconds between two frames of a market', wholeNumber(100, 60_000))
    .option('--dry-run', 'only show the number of rows and the price')
    .option('--yes', 'spend credits without asking for confirmation')
    .action(async (from: number, to: number, markets: string[], options: Options, self: Command) => {
      requireRange(from, to, ['from', 'to'])
      const invocation = begin(self)
      const { client, terminal, isJson, signal } = invocation
      const { request, names } = await followRequest(client, markets, options, refuseOtherWindow)
      const wanted = { ...request, from, to, speed: options.speed }
      const plan = await client.replayDryRun(wanted)
      if (options.dryRun === true && isJson) return terminal.json(plan)
      const price = `${counted(plan.rows, 'row')} of ${counted(plan.markets, 'market')} cost up to ${counted(plan.credits, 'credit')}.`
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

import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { grouped } from '../render/numbers.ts'
import { renderFacts } from '../render/table.ts'

export function addLimits(program: Command, begin: Begin): void {
  const command = program
    .command('limits')
    .description('What the key may do, and how much of it is left')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, client, isJson } = begin(self)
      const limits = await client.account.limits()
      if (isJson) return terminal.json(limits)
      const { keyCreditsRemaining, historyHours } = limits
      const facts: [string, string][] = [
        ['tier', limits.tier],
        ['key', limits.label],
        ['requests', `${grouped(limits.rateRemaining)} of ${grouped(limits.rateLimitRpm)} a minute are left`],
        ['credits', `${grouped(limits.creditsRemaining)} are left, ${grouped(limits.creditsPerMonth)} come each month`],
        ...(keyCreditsRemaining === null
          ? []
          : [['this key', `may spend ${grouped(keyCreditsRemaining)} more this month`] as [string, string]]),
        ['history', historyHours === 0 ? 'all of it' : `the last ${historyHours} hours`],
        ['categories', limits.categories.join(', ')],
        ['formats', limits.formats.join(', ')],
        ['streams', limits.wsMax === 0 ? 'none' : `${limits.wsMax} at once`],
        ['perp books', limits.liveExchangeBook ? 'live' : 'stored only'],
        ['mcp', limits.mcp],
      ]
      terminal.out(renderFacts(facts, terminal.paint))
    })
  withExamples(command, ['limits', 'limits --json'])
}

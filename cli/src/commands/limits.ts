import type { KeyLimits } from '@bookreel/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { grouped } from '../render/numbers.ts'
import { renderFacts } from '../render/table.ts'

export function addLimits(program: Command, begin: Begin): void {
  const command = program
    .command('limits')
    .description('Show the limits of the key and what remains of them')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, client, isJson } = begin(self)
      const limits = await client.account.limits()
      if (isJson) return terminal.json(limits)
      const { keyCreditsRemaining, historyHours } = limits
      const facts: [string, string][] = [
        ['tier', limits.tier],
        ['key', limits.label],
        ['requests', `${grouped(limits.rateRemaining)} of ${grouped(limits.rpm)} per minute remaining`],
        [
          'credits',
          `${grouped(limits.creditsRemaining)} remaining, ${grouped(limits.creditsPerMonth)} added each month`,
        ],
        ...(keyCreditsRemaining === null
          ? []
          : [['this key', `may spend ${grouped(keyCreditsRemaining)} more this month`] as [string, string]]),
        ['exact books', booksText(limits)],
        ['history', historyHours === 0 ? 'unlimited' : `the last ${historyHours} hours`],
        ['categories', limits.categories.join(', ')],
        ['formats', limits.formats.join(', ')],
        ['streams', limits.wsMax === 0 ? 'none' : `${limits.wsMax} concurrent`],
        ['perp books', limits.liveExchangeBook ? 'live' : 'stored only'],
        ['mcp', limits.mcp],
      ]
      terminal.out(renderFacts(facts, terminal.paint))
    })
  withExamples(command, ['limits', 'limits --json'])
}

/** How many of the day are left; null while they are not counted. */
function booksText({ freeBooksLeft, freeBooksPerDay, booksPerCredit }: KeyLimits): string {
  const left = grouped(freeBooksLeft ?? freeBooksPerDay)
  return `${left} of ${grouped(freeBooksPerDay)} free ones remaining today, then 1 credit for ${booksPerCredit}`
}

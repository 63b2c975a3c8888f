import type { CreditEntry } from '@bookreel/sdk'
import type { Command } from 'commander'
import { wholeNumber } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { grouped } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

const DEFAULT_LIMIT = 25
const MAX_LIMIT = 500

const COLUMNS: readonly Column<CreditEntry>[] = [
  { title: 'TIME', text: ({ at }) => at },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'CREDITS', text: ({ credits }) => grouped(credits), isNumber: true },
  { title: 'BALANCE', text: ({ balanceAfter }) => grouped(balanceAfter), isNumber: true },
  { title: 'KEY', text: ({ keyLabel }) => keyLabel ?? '–', mayShrink: true },
  { title: 'FOR', text: ({ endpoint }) => endpoint ?? '–' },
  { title: 'AGAIN UNTIL', text: ({ downloadUntil }) => downloadUntil ?? '–' },
]

export function addCredits(program: Command, begin: Begin): void {
  const command = program
    .command('credits')
    .description('Show what the account got and paid, newest first')
    .option('--limit <count>', 'maximum number of entries', wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async ({ limit }: { limit: number }, self: Command) => {
      const { terminal, client, isJson } = begin(self)
      const answer = await client.account.credits({ limit })
      if (isJson) return terminal.json(answer)
      terminal.out(renderTable(COLUMNS, answer.entries, { width: terminal.tableWidth, paint: terminal.paint }))
      terminal.note(`${grouped(answer.balance)} credits remaining.`)
    })
  withExamples(
    command,
    ['credits', 'credits --limit 100 --json'],
    'A file can be downloaded again without paying until the time in the last column.',
  )
}

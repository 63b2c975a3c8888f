import type { UsageRow } from '@bookreel/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import { WrongUse } from '../exit-codes.ts'
import type { Begin } from '../invocation.ts'
import { programNameOf } from '../program-name.ts'
import { grouped } from '../render/numbers.ts'
import { type Column, renderFacts, renderTable } from '../render/table.ts'
import { saveSetting, settingsFolder } from '../settings.ts'

const KEY = /^br_live_[0-9A-Za-z]{38}$/

const COLUMNS: readonly Column<UsageRow>[] = [
  { title: 'ENDPOINT', text: ({ endpoint }) => endpoint ?? '–' },
  { title: 'CALLS', text: ({ calls }) => grouped(calls), isNumber: true },
  { title: 'CREDITS', text: ({ credits }) => grouped(credits), isNumber: true },
  { title: 'REFUSED', text: ({ refused }) => refusalsOf(refused) },
]

/** Such as `rate_limited 12`, the most frequent first. */
function refusalsOf(refused: UsageRow['refused']): string {
  const counts = Object.entries(refused).toSorted(([, one], [, other]) => other - one)
  return counts.map(([code, calls]) => `${code} ${grouped(calls)}`).join(', ')
}

export function addKeys(program: Command, begin: Begin): void {
  const keys = program
    .command('keys')
    .alias('key')
    .description('Check the API key and show the usage of its account in the last 30 days')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, client, isJson, settings } = begin(self)
      const [key, usage] = await Promise.all([
        client.account.validateKey(),
        client.account.usage({ group_by: 'endpoint' }),
      ])
      if (isJson) return terminal.json({ key, usage })
      const { paint } = terminal
      const facts: [string, string][] = [
        ['key', `${key.label}, from ${settings.keyFrom}`],
        ['tier', key.tier],
        ['credits', `${grouped(key.creditsRemaining)} remaining`],
      ]
      terminal.out(renderFacts(facts, paint))
      if (usage.usage.length > 0) {
        terminal.line()
        terminal.out(renderTable(COLUMNS, usage.usage, { width: terminal.tableWidth, paint }))
      }
      terminal.note(`\nCreate and revoke keys at ${settings.url}/app/keys.`)
    })
  withExamples(
    keys,
    ['keys', 'key set', 'key set < key.txt', '--url https://api.example.com key set'],
    'Create and revoke keys in the console of the service, /app/keys.',
  )
  const set = keys
    .command('set')
    .description('Save the API key (and the address given with --url) in your settings folder')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, signal } = begin(self)
      const { url } = self.optsWithGlobals<{ url?: string }>()
      const key = await terminal.secret('Key (not shown): ', signal)
      if (!KEY.test(key))
        throw new WrongUse(
          'This is not an API key: a key starts with br_live_ and has 46 characters. Nothing was saved.',
        )
      const folder = settingsFolder(terminal.variables)
      if (url !== undefined) saveSetting(folder, 'url', url)
      terminal.note(
        `Saved in ${saveSetting(folder, 'key', key)}, readable only by you. Check it with: ${programNameOf(self)} keys`,
      )
    })
  withExamples(
    set,
    ['key set', 'key set < key.txt'],
    'The key is read from standard input and is not shown while you type.',
  )
}

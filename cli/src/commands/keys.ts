import type { UsageRow } from '@bookreel/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import { WrongUse } from '../exit-codes.ts'
import type { Begin } from '../invocation.ts'
import { grouped } from '../render/numbers.ts'
import { type Column, renderFacts, renderTable } from '../render/table.ts'
import { saveSetting, settingsFolder } from '../settings.ts'

const KEY = /^br_live_[0-9A-Za-z]{38}$/

const COLUMNS: readonly Column<UsageRow>[] = [
  { title: 'ENDPOINT', text: ({ endpoint }) => endpoint ?? '–' },
  { title: 'CALLS', text: ({ calls }) => grouped(calls), isNumber: true },
  { title: 'CREDITS', text: ({ credits }) => grouped(credits), isNumber: true },
]

export function addKeys(program: Command, begin: Begin): void {
  const keys = program
    .command('keys')
    .alias('key')
    .description('Whether the key is good, and what the account used in the last 30 days')
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
        ['credits', `${grouped(key.creditsRemaining)} are left`],
      ]
      terminal.out(renderFacts(facts, paint))
      if (usage.usage.length > 0) {
        terminal.line()
        terminal.out(renderTable(COLUMNS, usage.usage, { width: terminal.tableWidth, paint }))
      }
      terminal.note(`\nKeys are made and revoked at ${settings.url}/account.`)
    })
  withExamples(
    keys,
    ['keys', 'key set', 'key set < key.txt', '--url https://api.example.com key set'],
    'Keys are made and revoked on the account page of the service, /account.',
  )
  const set = keys
    .command('set')
    .description('Remember the key, and with --url the address, for this user of this machine')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, signal } = begin(self)
      const { url } = self.optsWithGlobals<{ url?: string }>()
      const key = await terminal.secret('Key (not shown): ', signal)
      if (!KEY.test(key))
        throw new WrongUse('That is no key: keys begin with br_live_ and have 46 letters. Nothing was saved.')
      const folder = settingsFolder(terminal.variables)
      if (url !== undefined) saveSetting(folder, 'url', url)
      terminal.note(`Saved in ${saveSetting(folder, 'key', key)}, for your eyes only. Check it with: bookreel keys`)
    })
  withExamples(
    set,
    ['key set', 'key set < key.txt'],
    'The key is read from standard input, and not shown while it is typed.',
  )
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { EXIT, EXIT_CODES_HELP } from '../src/exit-codes.ts'
import { runCli } from '../src/run-cli.ts'
import type { Variables } from '../src/settings.ts'
import { Terminal, type TerminalStreams } from '../src/terminal.ts'

interface Output {
  readonly code: number
  readonly out: string
  readonly err: string
}

const runWith = (...args: string[]): Promise<Output> => runAs({}, ...args)

async function runAs(variables: Variables, ...args: string[]): Promise<Output> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const terminal = new Terminal({ stdin, stdout, stderr } as unknown as TerminalStreams, variables)
  const code = await runCli(args, terminal, { version: '0.0.0', signal: new AbortController().signal })
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

const COMMANDS = [
  'markets',
  'search',
  'quotes',
  'coverage',
  'heatmap',
  'estimate',
  'events',
  'book',
  'watch',
  'replay',
  'snapshots',
  'bars',
  'prices',
  'gaps',
  'perp',
  'perp-hour',
  'download',
  'samples',
  'files',
  'verify',
  'limits',
  'credits',
  'keys',
  'mcp',
]

test('--help lists every command, the exit codes, BOOKREEL_KEY and BOOKREEL_URL', async () => {
  const { code, out } = await runWith('--help')
  expect(code).toBe(0)
  for (const part of [...COMMANDS, 'Exit codes: 0 ok', 'BOOKREEL_KEY', 'BOOKREEL_URL']) expect(out).toContain(part)
})

test.each([...COMMANDS, 'key set'])('%s --help has examples', async (name) => {
  const { code, out } = await runWith(...name.split(' '), '--help')
  expect([code, out]).toEqual([0, expect.stringMatching(/Examples:\n {2}\$ bookreel/)])
  expect(out).toContain('--json')
})

test.each([
  ['no command', [], /Usage/],
  ['an unknown command', ['boks'], /Did you mean one of bars, book\?/],
  ['an unknown option', ['limits', '--all'], /unknown option/],
  ['an unknown choice', ['bars', 'BTC/5m', '--interval', '7m'], /Must be one of: 1s/],
  [
    'an unknown source of prices',
    ['prices', 'BTC', '--source', 'kraken'],
    /Must be one of: chainlink, binance, twap60/,
  ],
  ['--heatmap without a sample', ['samples', '--heatmap'], /Name a sample/],
  ['--out without a sample', ['samples', '--out', 'x'], /Name a sample/],
  ['a number out of range', ['markets', '--limit', '0'], /whole number from 1/],
  [
    'a range of bars that ends before it starts',
    ['bars', 'BTC/5m', '--from', '1h', '--to', '2h'],
    /--from must be before --to/,
  ],
  [
    'a range of snapshots of no time',
    ['snapshots', 'BTC/5m', '--from', '2026-11-15', '--to', '2026-11-15'],
    /--from must be before --to, but the range is 2026-11-15T00:00:00.000Z to/,
  ],
  [
    'a range of gaps that ends before it starts',
    ['gaps', 'BTC/5m', '--from', '1h', '--to', '2h'],
    /--from must be before --to/,
  ],
  ['a replay that ends before it starts', ['replay', '5m', '10m', 'BTC/5m'], /from must be before to/],
  ['an invalid time', ['gaps', 'BTC/5m', '--from', 'soon'], /Must be a time such as/],
  ['a perpetual future where a prediction market is needed', ['bars', 'BTC/perp'], /not a single prediction market/],
  [
    'a range that ends before it starts',
    ['download', '--markets', 'x', '--from', '1h', '--to', '2h', '--out', 'x'],
    /before/,
  ],
  ['a missing required option', ['download'], /required option '--markets <list>'/],
  ['an invalid address', ['--url', 'nowhere', 'limits'], /is not a valid address/],
])('%s exits with code 2 and a message that says what is allowed', async (_case, args, message) => {
  const { code, out, err } = await runWith(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(message)
})

test('the README and --help have the exit codes of the program', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const table = readme.slice(readme.indexOf('| Exit code'))
  const documented = [...table.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code))
  expect(documented).toEqual(Object.values(EXIT))
  expect([...EXIT_CODES_HELP.matchAll(/\d+/g)].map(Number)).toEqual(documented)
})

test('hints and examples name the command that started the program', async () => {
  const checkout = { npm_package_name: 'bookreel', npm_lifecycle_event: 'cli' }
  const inCheckout = await runAs(checkout, 'book', '--help')
  expect(inCheckout.out).toMatch(/^Usage: npm run cli -- book /)
  expect(inCheckout.out).toContain('$ npm run cli -- book BTC/5m')
  expect((await runWith('book', '--help')).out).toContain('$ bookreel book BTC/5m')
  const elsewhere = { npm_package_name: 'other', npm_lifecycle_event: 'cli' }
  expect((await runAs(elsewhere, 'book', '--help')).out).toContain('$ bookreel book BTC/5m')
  expect((await runAs(checkout, 'mcp', '--help')).out).toContain('"run","--silent","cli","--","mcp"')
  expect((await runWith('mcp', '--help')).out).toContain('"command":"bookreel","args":["mcp"]')
})

test.each(['--version', '-V'])('%s prints the version', async (option) => {
  expect(await runWith(option)).toEqual({ code: 0, out: '0.0.0\n', err: '' })
})

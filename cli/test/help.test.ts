import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runCli } from '../src/run-cli.ts'
import { Terminal, type TerminalStreams } from '../src/terminal.ts'

async function said(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const terminal = new Terminal({ stdin, stdout, stderr } as unknown as TerminalStreams, {})
  const code = await runCli(args, terminal, { version: '0.0.0', signal: new AbortController().signal })
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

const COMMANDS = [
  'markets',
  'book',
  'watch',
  'replay',
  'snapshots',
  'bars',
  'gaps',
  'download',
  'limits',
  'keys',
  'mcp',
]

test('the help names every command, the exit codes, and where the key comes from', async () => {
  const { code, out } = await said('--help')
  expect(code).toBe(0)
  for (const part of [...COMMANDS, 'Exit codes: 0 ok', 'BOOKREEL_KEY', 'BOOKREEL_URL']) expect(out).toContain(part)
})

test.each([...COMMANDS, 'key set'])('%s has examples', async (name) => {
  const { code, out } = await said(...name.split(' '), '--help')
  expect([code, out]).toEqual([0, expect.stringMatching(/Examples:\n {2}\$ bookreel/)])
  expect(out).toContain('--json')
})

test.each([
  ['no command', [], /Usage/],
  ['an unknown command', ['boks'], /Did you mean one of bars, book\?/],
  ['an unknown option', ['limits', '--all'], /unknown option/],
  ['a choice that there is not', ['bars', 'BTC/5m', '--interval', '7m'], /Give one of: 1s/],
  ['a number out of range', ['markets', '--limit', '0'], /whole number from 1/],
  ['a time that is none', ['gaps', 'BTC/5m', '--from', 'soon'], /Give a time such as/],
  ['a market that can not be meant', ['bars', 'BTC/perp'], /not one prediction market/],
  [
    'a range that ends before it begins',
    ['download', '--markets', 'x', '--from', '1h', '--to', '2h', '--out', 'x'],
    /before/,
  ],
  ['nothing to download', ['download'], /required option '--markets <list>'/],
  ['an address that is none', ['--url', 'nowhere', 'limits'], /is no address/],
])('%s is wrong use, and what is right is said', async (_says, args, words) => {
  const { code, out, err } = await said(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(words)
})

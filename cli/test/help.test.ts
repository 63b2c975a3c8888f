import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runCli } from '../src/run-cli.ts'
import { Terminal, type TerminalStreams } from '../src/terminal.ts'

async function runWith(...args: string[]): Promise<{ code: number; out: string; err: string }> {
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
  ['a number out of range', ['markets', '--limit', '0'], /whole number from 1/],
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

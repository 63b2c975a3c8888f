import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../src/run-cli.ts'
import { Terminal, type TerminalStreams } from '../src/terminal.ts'

const CONTENT = Buffer.from('PAR1 rows PAR1')
const ENTRY = { markets: 288, rows: 691_200, bytes: CONTENT.length, credits: 692, revision: 1 }
const folder = mkdtempSync(join(tmpdir(), 'bookreel-cli-files-'))
let server: Server
let ids: string[] = []
const asked: string[] = []

/** Answers as the service does, with names of its own. */
beforeAll(async () => {
  server = createServer(({ url = '' }, answer) => {
    asked.push(url)
    if (url.startsWith('/v1/files?') || url === '/v1/files') {
      answer.setHeader('content-type', 'application/json')
      return answer.end(JSON.stringify({ files: ids.map((id) => ({ id, ...ENTRY })), next_cursor: null }))
    }
    answer.setHeader('x-sha256', createHash('sha256').update(CONTENT).digest('hex'))
    answer.setHeader('x-credits-cost', '692')
    return answer.end(CONTENT)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const { port } = server.address() as AddressInfo
  const variables = { BOOKREEL_URL: `http://127.0.0.1:${port}`, BOOKREEL_KEY: 'x', HOME: folder }
  const terminal = new Terminal({ stdin, stdout, stderr } as unknown as TerminalStreams, variables)
  const code = await runCli(args, terminal, { version: '0.0.0', signal: new AbortController().signal })
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

test('files are listed with their price, and filters are sent', async () => {
  ids = ['polymarket-btc-5m-2026-11-15-r1']
  const { code, out } = await run('files', '--coin', 'BTC', '--timeframe', '5m', '--from', '2026-11-15')
  expect(code).toBe(0)
  expect(out).toMatch(/ID +MARKETS +ROWS +SIZE +CREDITS\npolymarket-btc-5m-2026-11-15-r1 +288 +691,200 +14 B +692/)
  expect(asked.at(-1)).toMatch(/coin=BTC&timeframe=5m&from=/)
  expect(JSON.parse((await run('files', '--json')).out)).toHaveLength(1)
})

test('a kind is asked for, and files of several kinds have names of their own', async () => {
  ids = ['polymarket-btc-5m-2026-11-15-r1', 'polymarket-btc-5m-trades-2026-11-15-r1', 'hyperliquid-gaps-2026-11-15-r1']
  const out = join(folder, 'kinds')
  expect((await run('files', '--kind', 'ALL', '--venue', 'hyperliquid', '--out', out, '--yes')).code).toBe(0)
  expect(asked.find((url) => url.includes('kind='))).toMatch(/kind=all&venue=hyperliquid/)
  expect(readdirSync(out).toSorted()).toEqual(ids.map((id) => `${id}.parquet`).toSorted())
  expect((await run('files', '--kind', 'books')).err).toMatch(/Must be one of: series, market, trades/)
  ids = ['polymarket-btc-5m-2026-11-15-r1']
})

test('files are downloaded once, after the price was accepted', async () => {
  const out = join(folder, 'days')
  const unasked = await run('files', '--out', out)
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringMatching(/1 file cost up to 692 credits\..*--yes/)])
  const first = await run('files', '--out', out, '--yes')
  expect([first.code, first.out]).toEqual([0, `1 file in ${out}. Charged 692 credits.\n`])
  expect(readFileSync(join(out, `${ids[0]}.parquet`)).equals(CONTENT)).toBe(true)
  const second = await run('files', '--out', out, '--yes', '--json')
  expect(JSON.parse(second.out)).toEqual({ files: 1, downloaded: 0, credits_charged: 0 })
})

test.each(['../outside', 'a/b', '.hidden', ''])('the name %j of a file is refused', async (id) => {
  ids = [id]
  const { code, err } = await run('files', '--out', join(folder, 'names'), '--yes')
  expect([code, err]).toEqual([1, expect.stringMatching(/which is not allowed/)])
  expect(existsSync(join(folder, 'outside.parquet'))).toBe(false)
})

test('without a file the exit code is that of nothing found', async () => {
  ids = []
  expect((await run('files')).err).toMatch(/No file matches/)
  expect((await run('files', '--out', folder)).code).toBe(4)
})

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { FIRST_SLOT, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliScene, type RunOptions } from './cli-scene.ts'

let scene: CliScene
let key: string
let past: PastMarket

const ROOT = join(import.meta.dirname, '../..')
const ESCAPE = '\u001b'
const SLOTS = 40

beforeAll(async () => {
  scene = await CliScene.open()
  key = await scene.service.keyOf('scale')
  past = await PastMarket.save(scene.service, 'cli')
  await past.putRows(past.rows(0, SLOTS - 1))
})

afterAll(() => scene?.[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its reply.
async function json(args: readonly string[], options: RunOptions = { key }): Promise<any> {
  const { code, stdout, stderr } = await scene.run([...args, '--json'], options)
  expect(code, stderr).toBe(0)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  return JSON.parse(stdout)
}

describe('exit codes', () => {
  const unknown = `0x${'0'.repeat(64)}`
  const unreachable = 'http://127.0.0.1:1'
  const cases: [title: string, args: string[], code: number, message: RegExp, options?: RunOptions][] = [
    [
      'no key',
      ['limits'],
      3,
      /bookreel: unauthenticated: .* No API key is set: create one at http:.*\/app\/keys, then run: bookreel key set/,
      {},
    ],
    ['a wrong key', ['limits'], 3, /does not accept the key from BOOKREEL_KEY/, { key: 'br_live_wrong' }],
    ['an unknown market', ['book', unknown, '--once'], 4, /market/i],
    ['an unknown slug', ['snapshots', 'zzzz-qqqq'], 4, /slug_not_found: .* bookreel markets/],
    [
      'an unknown slug in a checkout',
      ['snapshots', 'zzzz-qqqq'],
      4,
      /List the markets with: npm run cli -- markets/,
      { key: 'KEY', variables: { npm_package_name: 'bookreel', npm_lifecycle_event: 'cli' } },
    ],
    ['an unknown market on a stream', ['watch', unknown], 4, /No market has this id/],
    [
      'a service that cannot be reached',
      ['limits'],
      1,
      /Check that http:\/\/127\.0\.0\.1:1 is the right address/,
      { key: 'br_live_x', url: unreachable },
    ],
  ]

  test.each(cases)('%s', async (_title, args, code, message, options = { key }) => {
    const ended = await scene.run(args, options.key === 'KEY' ? { ...options, key } : options)
    expect(ended.code, ended.stderr).toBe(code)
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr).not.toMatch(/\n\s+at /)
    expect(ended.stderr).not.toContain(key)
  })
})

describe('--json output', () => {
  test('search and quotes print the reply of the service', async () => {
    const [market] = await json(['markets', '--coin', 'btc', '--timeframe', '5m', '--limit', '1'])
    const { quotes } = await json(['quotes', '--coin', 'btc', '--timeframe', '5m', '--limit', '1'])
    expect(quotes).toMatchObject([{ market_id: market.conditionId, slug: market.slug }])
    // Near the end of a window only one of a timeframe is listed, but always several of a coin.
    const { total_markets: total } = await json(['quotes', '--coin', 'btc', '--limit', '1'])
    expect(total).toBeGreaterThan(1)
    const words = market.question.split(' ').slice(0, 3)
    expect(await json(['search', ...words, '--limit', '3'])).toHaveLength(3)
  })

  test('markets have columns of results only with --results', async () => {
    const markets = ['markets', '--coin', 'btc', '--limit', '3']
    expect((await scene.run([...markets, '--results'], { key })).stdout).toMatch(/RESULT +TO BEAT +SETTLED AT/)
    expect((await scene.run(markets, { key })).stdout).not.toContain('TO BEAT')
    expect((await scene.run([...markets.slice(0, -1), '501', '--results'], { key })).stderr).toContain('at most 500')
  })

  test('events print the events, and the markets of one', async () => {
    const { events, total_events: total } = await json(['events', '--category', 'crypto', '--limit', '1'])
    expect(total).toBeGreaterThan(1)
    const { markets } = await json(['events', events[0].event])
    expect(markets).toHaveLength(events[0].markets)
    expect((await scene.run(['events', '--limit', '2'], { key })).stdout).toContain('TITLE')
  })

  test('credits print the reply of the service', async () => {
    const { balance, entries } = await json(['credits', '--limit', '2'])
    expect(entries[0]).toMatchObject({ balanceAfter: balance })
    expect((await scene.run(['credits'], { key })).stdout).toContain('BALANCE')
  })

  test.each([
    ['trades', 'trades'],
    ['funding', 'funding'],
    ['open-interest', 'open_interest'],
    ['prices', 'prices'],
    ['bars', 'bars'],
    ['gaps', 'gaps'],
  ])('perp %s prints the reply of the service', async (series, member) => {
    const reply = await json(['perp', series, 'btc', '--limit', '1'])
    expect(reply).toMatchObject({ exchange: 'hyperliquid_perp', symbol: 'BTC', [member]: expect.any(Array) })
  })

  test('markets and book print the reply of the service', async () => {
    const [market] = await json(['markets', '--coin', 'btc', '--timeframe', '5m', '--limit', '1'])
    expect(market).toMatchObject({ timeframe: '5m', status: 'live' })
    const book = await json(['book', market.conditionId, '--once', '--side', 'down'])
    expect(book).toMatchObject({ name: market.slug, side: 'DOWN', isVerified: true })
    expect(book.bids.length).toBeGreaterThan(0)
    expect(await json(['book', 'BTC/perp', '--once'])).toMatchObject({ title: 'BTC perpetual future', side: '' })
  })

  test('coverage and estimate of a recorded market', async () => {
    const { parts } = await json(['coverage', past.market.id, '--by', 'hour'])
    expect(parts).toMatchObject([{ expected_slots: SLOTS, missing_slots: 0 }])
    expect((await json(['coverage', '--category', 'crypto', '--venue', 'kalshi'])).parts).toEqual([])
    const range = ['--from', String(PAST_HOUR_MS), '--to', String(PAST_HOUR_MS + 3_600_000)]
    expect(await json(['estimate', past.market.id, ...range])).toMatchObject({ rows: 2 * SLOTS, credits: 1, files: 1 })
    const tile = await json(['heatmap', past.market.id, '--from', String(PAST_HOUR_MS), '--side', 'down'])
    expect(tile).toMatchObject({ side: 'DOWN', columns: 256, rows: 100 })
    const drawn = await scene.run(['heatmap', past.market.id, '--from', String(PAST_HOUR_MS)], { key })
    expect([drawn.code, drawn.stdout]).toEqual([0, expect.stringMatching(/█.* UTC\n$/s)])
  })

  test('snapshots, bars and gaps of a recorded market', async () => {
    const page = await json(['snapshots', past.market.id, '--from', String(PAST_HOUR_MS), '--limit', '6'])
    expect(page.snapshots.map((row: { sequence_number: number }) => row.sequence_number - FIRST_SLOT)).toEqual([
      0, 0, 1, 1, 2, 2,
    ])
    expect(await json(['snapshots', past.market.slug, '--dry-run'])).toMatchObject({ rows: 2 * SLOTS, credits: 10 })
    expect(
      (await json(['bars', past.market.id, '--interval', '5s', '--from', String(PAST_HOUR_MS)])).bars,
    ).toHaveLength(2)
    expect(await json(['gaps', past.market.id])).toMatchObject({ coverage: { share: 1, expected_slots: SLOTS } })
    const { stdout } = await scene.run(['gaps', past.market.id], { key })
    expect(stdout).toContain('Within the recorded range: 100.0000 % complete')
  })

  test('snapshots --all prints every page, one snapshot per line', async () => {
    const args = ['snapshots', past.market.id, '--from', String(PAST_HOUR_MS), '--all', '--yes', '--json']
    const { stdout } = await scene.run(args, { key })
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).sequence_number),
    ).toHaveLength(2 * SLOTS)
  })

  test('limits and keys', async () => {
    expect(await json(['limits'])).toMatchObject({ tier: 'scale', wsMax: 5 })
    expect(await json(['keys'])).toMatchObject({
      key: { valid: true, tier: 'scale' },
      usage: { usage: expect.any(Array) },
    })
    expect((await scene.run(['keys'], { key })).stderr).toContain(`${scene.url}/app/keys`)
  })
})

describe('streams', () => {
  test('replay prints recorded frames; --dry-run prints the number of rows', async () => {
    const range = [String(PAST_HOUR_MS), String(PAST_HOUR_MS + SLOTS * INTERVAL_MS)]
    expect(await json(['replay', ...range, past.market.id, '--dry-run'])).toMatchObject({ rows: 2 * SLOTS, markets: 1 })
    const { code, stdout } = await scene.run(
      ['replay', ...range, past.market.id, '--speed', 'max', '--yes', '--json'],
      { key },
    )
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, events.at(-1)]).toMatchObject([0, { type: 'replay_ended', reason: 'complete', rows: 2 * SLOTS }])
    const seqs = events.filter(({ channel }) => channel === 'book').map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: SLOTS }, (_, index) => FIRST_SLOT + index))
  })
})

describe('on a terminal', () => {
  test('NO_COLOR and a pipe disable colours', async () => {
    const painted = scene.startInTerminal(['markets', '--limit', '3'], { key })
    expect((await painted.ended).stdout).toContain(ESCAPE)
    expect((await scene.run(['markets', '--limit', '3'], { key })).stdout).not.toContain(ESCAPE)
  })
})

describe('the key', () => {
  test('is read from standard input and saved in a file that only its owner can read', async () => {
    const variables = { XDG_CONFIG_HOME: join(scene.folder, 'settings') }
    expect((await scene.run(['key', 'set'], { input: 'hello\n', variables })).code).toBe(2)
    const { code, stdout, stderr } = await scene.run(['key', 'set'], { input: `${key}\n`, variables })
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain(key)
    const file = join(scene.folder, 'settings/bookreel/key')
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${key}\n`, 0o600])
    expect(await json(['limits'], { variables })).toMatchObject({ tier: 'scale' })
  })

  test('is not echoed while it is typed', async () => {
    const variables = { XDG_CONFIG_HOME: join(scene.folder, 'typed') }
    const running = scene.startInTerminal(['key', 'set'], { variables })
    await running.until(({ stdout }) => stdout.includes('not shown'))
    running.child.stdin.write(`${key}\r`)
    const { code, stdout } = await running.ended
    expect([code, stdout.includes(key)]).toEqual([0, false])
    expect(readFileSync(join(scene.folder, 'typed/bookreel/key'), 'utf8')).toBe(`${key}\n`)
  })
})

describe('mcp', () => {
  const lines = (...messages: object[]): string =>
    messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
  const hello = {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }

  test('forwards messages to the service and prints the replies, one per line', async () => {
    const call = { id: 'two', method: 'tools/call', params: { name: 'list_categories', arguments: {} } }
    const input = lines(hello, { method: 'notifications/initialized' }, { id: 3, method: 'tools/list' }, call)
    const { code, stdout } = await scene.run(['mcp'], { key, input: `${input}this is no message\n` })
    expect(code).toBe(0)
    const answers = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map((answer) => [answer.id, answer]),
    )
    expect(answers.size).toBe(4)
    expect(answers.get(1).result.serverInfo.name).toBe('bookreel')
    expect(answers.get(3).result.tools.length).toBeGreaterThan(5)
    expect(answers.get('two').result.isError).not.toBe(true)
    expect(answers.get(null).error.code).toBe(-32_700)
  })

  test('prints an error reply when the service refuses the key', async () => {
    const { stdout } = await scene.run(['mcp'], { key: 'br_live_wrong', input: lines(hello) })
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { message: expect.stringContaining('key') } })
  })

  interface ClientEntry {
    readonly command?: string
    readonly args?: string[]
    readonly env?: Record<string, string>
    readonly url?: string
    readonly headers?: Record<string, string>
  }

  /** The configurations of clients in docs/mcp.md, with the address, key and path of this test. */
  function documentedEntries(): ClientEntry[] {
    const page = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8')
    return [...page.matchAll(/```json\n(.*?)```/gs)].map(([, block = '']) => {
      const filled = block
        .replaceAll('http://127.0.0.1:8080', scene.url)
        .replaceAll('br_live_…', key)
        .replaceAll('/path/to/bookreel', ROOT)
      return JSON.parse(filled).mcpServers.bookreel
    })
  }

  /** A folder with the command that the installed package has. */
  function installedCommand(): string {
    const folder = join(scene.folder, 'bin')
    mkdirSync(folder)
    const start = `'${process.execPath}' --conditions=bookreel-source '${join(ROOT, 'cli/src/main.ts')}'`
    writeFileSync(join(folder, 'bookreel'), `#!/bin/sh\nexec ${start} "$@"\n`, { mode: 0o755 })
    return folder
  }

  test('works with every client configuration of docs/mcp.md, started in another folder', async () => {
    const call = { id: 2, method: 'tools/call', params: { name: 'get_market', arguments: { market: 'btc-updown-5m' } } }
    const messages = [hello, { id: 3, method: 'tools/list' }, call]
    const entries = documentedEntries()
    expect(entries.map(({ command }) => command)).toEqual([undefined, 'npm', 'bookreel'])
    const path = `${installedCommand()}${delimiter}${userPath()}`
    for (const { command, args = [], env = {}, url, headers } of entries) {
      const texts: string[] = []
      if (command !== undefined) {
        const running = scene.startProgram(command, args, { variables: { PATH: path, ...env } })
        running.child.stdin.end(lines(...messages))
        const { code, stdout, stderr } = await running.ended
        expect(code, stderr).toBe(0)
        texts.push(...stdout.trim().split('\n'))
      } else {
        for (const message of messages) {
          const accept = 'application/json, text/event-stream'
          const options = { method: 'POST', headers: { ...headers, accept, 'content-type': 'application/json' } }
          const answer = await fetch(url ?? '', { ...options, body: lines(message) })
          texts.push((await answer.text()).replace(/^.*?data: /s, ''))
        }
      }
      // Every line is a message: nothing else may be on standard output.
      const answers = new Map(texts.map((text) => JSON.parse(text)).map(({ id, result }) => [id, result]))
      expect(answers.get(1).serverInfo.name).toBe('bookreel')
      expect(answers.get(3).tools.length).toBeGreaterThan(5)
      expect(answers.get(2).structuredContent.answer.timeframe).toBe('5m')
    }
  })
})

/** Without the folders that `npm test` adds. */
function userPath(): string {
  // biome-ignore lint/style/noProcessEnv: a client starts programs from the PATH of its user.
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter)
}

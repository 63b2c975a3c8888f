import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { runCli } from '../src/run-cli.ts'
import { Terminal, type TerminalStreams } from '../src/terminal.ts'

const REQUESTED = 'btc-updown-5m-1000000200'
const SERIES_TEXT = 'btc-updown-5m-now'
const CURRENT = 'btc-updown-5m-1794805200'
const NOTE = `No recorded window contains the time in ${REQUESTED}; using the current window ${CURRENT}.\n`
const TOKEN = { bids: [], asks: [], captureTimestamp: 0, sequenceNumber: 1, flags: [] }
const MARKET = { market_id: `0x${'1'.repeat(64)}`, slug: CURRENT, matched_by: 'current_window' }
const BOOK = { ...MARKET, question: '', stale: false, crypto_price: 0, up: TOKEN, down: TOKEN }

let service: Server
let requests: string[] = []

/** Finds the current window for every slug, and refuses streams as for a tier without them. */
beforeAll(async () => {
  service = createServer(({ url = '' }, reply) => {
    requests.push(url)
    reply.writeHead(200, { 'content-type': 'application/json' })
    reply.end(JSON.stringify(url.includes('/orderbook') ? BOOK : MARKET))
  })
  new WebSocketServer({ server: service }).on('connection', (socket, { url = '' }) => {
    requests.push(url)
    socket.send(JSON.stringify({ type: 'error', code: 'tier_not_allowed', message: 'This tier has no streams.' }))
    socket.close()
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
})

beforeEach(() => {
  requests = []
})

afterAll(() => {
  service.closeAllConnections()
  service.close()
})

interface Output {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command, and interrupts it when `isEnough`. */
async function run(args: readonly string[], isEnough: () => boolean = () => false): Promise<Output> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const interrupt = new AbortController()
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const variables = { BOOKREEL_URL: url, BOOKREEL_KEY: 'br_live_x' }
  const terminal = new Terminal({ stdin, stdout, stderr } as unknown as TerminalStreams, variables)
  service.on('request', interruptIfEnough)
  const code = await runCli(args, terminal, { version: '0.0.0', signal: interrupt.signal })
  service.off('request', interruptIfEnough)
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }

  function interruptIfEnough(): void {
    if (isEnough()) interrupt.abort()
  }
}

const polls = (): string[] => requests.filter((url) => url.includes('/orderbook'))
const times = (text: string, part: string): number => text.split(part).length - 1

describe('a slug whose time no recorded window contains', () => {
  test('book --once notes that it shows the current window', async () => {
    const { code, out, err } = await run(['book', REQUESTED, '--once', '--json'])
    expect([code, err]).toEqual([0, NOTE])
    expect(JSON.parse(out)).toMatchObject({ name: CURRENT })
  })

  test('book notes it once, also when it polls', async () => {
    const { err } = await run(['book', REQUESTED, '--json'], () => polls().length === 2)
    expect(err).toContain('tier_not_allowed')
    expect(times(err, NOTE)).toBe(1)
  })

  test('watch notes it once', async () => {
    const { code, err } = await run(['watch', REQUESTED])
    expect([code, times(err, NOTE)]).toEqual([3, 1])
  })

  test.each(['--dry-run', '--yes'])('replay %s refuses it before it asks for rows', async (option) => {
    const { code, out, err } = await run(['replay', '10m', '5m', REQUESTED, option])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(
      new RegExp(`^bookreel: No recorded window contains the time in ${REQUESTED}\\. Name a recorded`),
    )
    expect(requests).toHaveLength(1)
  })
})

test('a slug of the series without a time is the current window, without a note', async () => {
  const { code, err } = await run(['book', SERIES_TEXT, '--once', '--json'])
  expect([code, err]).toEqual([0, ''])
})

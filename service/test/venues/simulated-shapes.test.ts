import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { recordedLines, recordedText, recordingsExist, recordingsPlace } from './recordings.ts'

type Json = Record<string, unknown>

if (!recordingsExist()) process.stderr.write(`SKIPPED, ${recordingsPlace} does not exist: shapes of recorded frames\n`)

/** A world whose clock only the test moves, so that no machine is too slow for it. */
const STANDING = 0
const STEP_MS = 2_000
const MOVED_AT_MOST_MS = 600_000
const PULSE_MS = 5
const EVENT_TYPES = [
  'book',
  'price_change',
  'last_trade_price',
  'best_bid_ask',
  'tick_size_change',
  'new_market',
  'market_resolved',
]
let simulator: Simulator
const frames: Json[] = []
const sockets: WebSocket[] = []
const firstBooks: Json[] = []
const perpFrames: Json[] = []

/**
 * The keys in their order and the types of the values, as one comparable text:
 * `{market:string,bids:[{price:string,size:string}]}`. A list shows the distinct shapes of its elements.
 */
function shapeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`
  if (typeof value !== 'object') return typeof value
  return `{${Object.entries(value)
    .map(([key, each]) => `${key}:${shapeOf(each)}`)
    .join(',')}}`
}

async function collect(
  address: string,
  subscribe: (socket: WebSocket) => void,
  take: (frame: unknown) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    if (text === 'PONG') socket.emit('answered')
    else take(JSON.parse(text))
  })
  subscribe(socket)
  return socket
}

function simulated(eventType: string): Json | undefined {
  return frames.find((frame) => frame.event_type === eventType)
}

function perpFrame(channel: string): Json | undefined {
  return perpFrames.find((frame) => frame.channel === channel)
}

/** Frames of each step are read before the next, because the venue disconnects clients that don't ping or read. */
async function moveWorldUntil(isSeen: () => boolean): Promise<void> {
  const [socket] = sockets
  if (socket === undefined) throw new Error('no client is connected')
  for (const endMs = simulator.world.nowMs + MOVED_AT_MOST_MS; !isSeen(); ) {
    if (simulator.world.nowMs > endMs) throw new Error(`not seen until ${new Date(endMs).toISOString()}`)
    simulator.world.advance(simulator.world.nowMs + STEP_MS)
    const answered = once(socket, 'answered')
    socket.send('PING')
    await answered
    // Spot and perp prices are sent by a timer.
    await sleep(PULSE_MS)
  }
}

describe.skipIf(!recordingsExist())('the simulator writes what was recorded: same keys, same order, same types', () => {
  beforeAll(async () => {
    const size = { hot: 6, medium: 6, cold: 200 }
    const startMs = Date.parse('2026-11-15T02:24:05Z')
    simulator = await startSimulator({ seed: 'shapes', startMs, size, speed: STANDING, port: 0, faults: [] })
    const tokens = [...simulator.world.tokens.keys()]
    sockets.push(
      await collect(
        simulator.addresses.marketSocket,
        (socket) => socket.send(JSON.stringify({ assets_ids: tokens, type: 'market', custom_feature_enabled: true })),
        (frame) => (Array.isArray(frame) ? firstBooks.push(...frame) : frames.push(frame as Json)),
      ),
      await collect(
        simulator.addresses.perpSocket,
        (socket) => {
          for (const type of ['l2Book', 'trades'])
            socket.send(JSON.stringify({ method: 'subscribe', subscription: { type, coin: 'BTC' } }))
        },
        (frame) => perpFrames.push(frame as Json),
      ),
    )
    await vi.waitUntil(() => firstBooks.length > 0, { timeout: 60_000 })
    // Through the end of a five-minute window and its resolution.
    await moveWorldUntil(() => EVENT_TYPES.every(simulated) && ['l2Book', 'trades'].every(perpFrame))
  })

  afterAll(async () => {
    for (const socket of sockets) socket.terminate()
    await simulator.stop()
  })

  test('first book', () => {
    const [recorded] = JSON.parse(recordedText('no-licence-stated/polymarketlab/book-array.json')) as Json[]
    expect(shapeOf(firstBooks.find(({ version }) => version === undefined))).toBe(shapeOf(recorded))
  })

  test('first book of a second-version market', () => {
    const session = recordedLines<{ dir: string; data: string }>('no-licence-stated/ws-market-v2-session.jsonl')
    const [recorded] = JSON.parse(session.find(({ dir }) => dir === 'recv')?.data ?? '') as Json[]
    const book = firstBooks.find(({ version }) => version === 'v2')
    expect(shapeOf({ ...book, bids: [], asks: [] })).toBe(shapeOf(recorded))
  })

  test('book after a trade', () => {
    const lines = recordedLines<{ payloadUtf8: string }>('no-licence-stated/market-ws-frames-h1-run-8.jsonl')
    const recorded = JSON.parse(lines[23]?.payloadUtf8 ?? '')
    const isFull = ({ event_type, bids, asks, version }: Json) =>
      event_type === 'book' && version === undefined && (bids as []).length > 0 && (asks as []).length > 0
    expect(shapeOf(frames.find(isFull))).toBe(shapeOf(recorded))
  })

  test.each([
    ['price_change', 'price-change'],
    ['last_trade_price', 'last-trade-price'],
    ['best_bid_ask', 'best-bid-ask'],
    ['tick_size_change', 'tick-size-change'],
    ['new_market', 'new-market'],
    ['market_resolved', 'market-resolved'],
  ])('%s', (eventType, file) => {
    const recorded = JSON.parse(recordedText(`no-licence-stated/polymarketlab/${file}.json`))
    expect(shapeOf(simulated(eventType))).toBe(shapeOf(recorded))
  })

  test('spacing of the most frequent frames', () => {
    const spacing = (text: string): string => text.replaceAll(/"[^"]*"/g, '""')
    const recorded = recordedText('no-licence-stated/polymarketlab/price-change.json').trimEnd()
    const change = simulated('price_change')
    const text = JSON.stringify(change).replaceAll(/,(?=["{])/g, ', ')
    expect(spacing(text)).toBe(spacing(recorded))
  })

  test('REST book and short market', async () => {
    const market = [...simulator.world.markets.values()].find(
      ({ version, phase }) => version === 'v1' && phase === 'trading',
    )
    const read = async (path: string) => (await fetch(`${simulator.addresses.clob}/${path}`)).json()
    const book = JSON.parse(recordedText('no-licence-stated/book-v1.json'))
    expect(shapeOf(await read(`book?token_id=${market?.tokenIds[0]}`))).toBe(shapeOf(book))
    const short = JSON.parse(recordedText('no-licence-stated/clob-markets-v1.json'))
    expect(shapeOf(await read(`clob-markets/${market?.conditionId}`))).toBe(shapeOf(short))
  })

  test('Gamma market and event: every recorded key, in its order', async () => {
    const read = async (path: string) => (await (await fetch(`${simulator.addresses.gamma}/${path}`)).json()) as Json
    const inOrder = (made: Json | undefined, recorded: Json) =>
      shapeOf(Object.fromEntries(Object.entries(made ?? {}).filter(([key]) => key in recorded)))
    const slug = [...simulator.world.markets.values()].find(
      ({ draft }) => draft.window?.length === '15m' && draft.window.coin.symbol === 'BTC',
    )?.draft.slug
    const market = JSON.parse(recordedText('no-licence-stated/gamma-market-v1-btc15m.json')) as Json
    expect(inOrder(await read(`markets/slug/${slug}`), market)).toBe(shapeOf(market))
    const [event] = JSON.parse(recordedText('no-licence-stated/gamma-events-keyset-series10192.json')).events as [Json]
    const { series, tags, markets, ...own } = event
    const made = ((await read('events/keyset?series_id=10192')) as { events: Json[] }).events[0]
    expect(inOrder(made, own)).toBe(shapeOf(own))
    expect(Object.keys(made ?? {}).filter((key) => ['series', 'tags', 'markets'].includes(key))).toEqual([
      'markets',
      'series',
      'tags',
    ])
    expect(series).toBeDefined()
    expect(tags).toBeDefined()
    expect(markets).toBeDefined()
  })

  test('perp books and trades', () => {
    const recorded = recordedText('no-licence-stated/order_book_server/ws_frames.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
    for (const channel of ['l2Book', 'trades']) {
      expect(shapeOf(perpFrame(channel)), channel).toBe(shapeOf(recorded.find((frame) => frame.channel === channel)))
    }
  })

  test('spot ticker', async () => {
    const line =
      recordedText('cryptofeed/BINANCE.ws.1.0')
        .split('\n')
        .find((each) => each.includes('"stream":"nknusdt@bookTicker"')) ?? ''
    const recorded = JSON.parse(line.slice(line.indexOf('{')))
    const tickers: unknown[] = []
    const address = `${simulator.addresses.spotSocket}/stream?streams=btcusdt@bookTicker`
    sockets.push(
      await collect(
        address,
        () => {},
        (frame) => tickers.push(frame),
      ),
    )
    await moveWorldUntil(() => tickers.length > 0)
    expect(shapeOf(tickers[0])).toBe(shapeOf(recorded))
  }, 120_000)
})

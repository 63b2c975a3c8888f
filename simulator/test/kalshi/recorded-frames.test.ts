import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { KalshiMarket } from '../../src/kalshi/kalshi-market.ts'
import type { Simulator } from '../../src/simulator.ts'
import { bitcoinWindow, connect, ethereumWindow, getKalshi, moveKalshi, openKalshi, subscribe } from './kalshi-scene.ts'

type Json = Record<string, unknown>

/** Recorded frames are beside the repository, not in it: they have no licence for redistribution. */
const PLACE = '../shared/venues/samples/kalshi'
const folder = new URL(`../../../${PLACE}/`, import.meta.url)
const isMissing = !existsSync(fileURLToPath(folder))
if (isMissing) process.stderr.write(`SKIPPED, ${PLACE} does not exist: shapes of recorded Kalshi frames\n`)

/** Keys that the venue has added to these frames since they were recorded. */
const ADDED_SINCE: Readonly<Record<string, readonly string[]>> = {
  created: ['price_level_structure', 'price_ranges', 'exchange_index'],
}
/** Keys of the demo server, which lags behind. */
const isOutOfDate = ({ type, msg }: Json): boolean => type === 'ticker' && !('time' in (msg as Json))

function recorded(file: string): Json[] {
  const text = readFileSync(new URL(file, folder), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)
}

/** Keys in order, with the types of their values. */
function shapeOf(value: Json): string[] {
  return Object.entries(value).map(([key, member]) => `${key}: ${Array.isArray(member) ? 'array' : typeof member}`)
}

/** Kind of a frame, so that like is compared with like. */
function kindOf({ type, msg = {} }: Json): string {
  if (Array.isArray(msg)) return 'list of subscriptions'
  const { event_type: event, yes_dollars_fp: yes, no_dollars_fp: no } = msg as Json
  if (typeof event === 'string') return event
  return type === 'orderbook_snapshot' && yes === undefined && no === undefined ? 'empty snapshot' : String(type)
}

/** One frame of each kind that is also recorded. */
async function simulatedFrames(): Promise<Map<string, Json>> {
  // A game of the Premier League starts at 15:00, and a window closes.
  const simulator = await openKalshi({
    startMs: Date.parse('2026-11-15T14:59:50Z'),
    kalshi: { hot: 20, medium: 40, cold: 60 },
  })
  const client = await connect(simulator)
  const { ticker } = bitcoinWindow(simulator)
  const market_tickers = [ticker, unopened(simulator).ticker]
  await subscribe(client, ['orderbook_delta', 'market_lifecycle_v2', 'trade', 'ticker', 'ticker_v2'], {
    market_tickers,
  })
  await subscribe(client, ['orderbook_delta'], { market_ticker: ethereumWindow(simulator).ticker })
  await moveKalshi(simulator, client, 60_000)
  const closed = await fetch(`${simulator.addresses.admin}/kalshi/markets/${ethereumWindow(simulator).ticker}/close`, {
    method: 'POST',
  })
  expect(closed.status).toBe(202)
  await moveKalshi(simulator, client, 300_000)
  return new Map(client.frames.map(({ json }) => [kindOf(json), json]))
}

function unopened({ kalshi }: Simulator): KalshiMarket {
  const market = [...kalshi.markets.values()].find(({ status }) => status === 'initialized')
  if (market === undefined) throw new Error('no market is listed ahead')
  return market
}

describe.skipIf(isMissing)('frames have the keys, order and types of recorded ones', () => {
  test('of the socket', async () => {
    const simulated = await simulatedFrames()
    const frames = [
      ...recorded('ws-demo-2026-08-27.jsonl'),
      ...recorded('ws-kxhighny-2026-06-24.jsonl'),
      ...recorded('ws-prod-mixed.jsonl'),
    ]
    for (const frame of frames.filter((each) => !isOutOfDate(each))) {
      const kind = kindOf(frame)
      const ours = simulated.get(kind)
      expect(ours, `no frame of kind ${kind}`).toBeDefined()
      expect(shapeOf(ours ?? {}), kind).toEqual(shapeOf(frame))
      const added = ADDED_SINCE[kind] ?? []
      const message = Object.fromEntries(
        Object.entries((ours?.msg ?? {}) as Json).filter(([key]) => !added.includes(key)),
      )
      expect(shapeOf(message), kind).toEqual(shapeOf(frame.msg as Json))
    }
  })

  test('of the REST books', async () => {
    const simulator = await openKalshi()
    const { json } = await getKalshi(simulator, `/markets/${bitcoinWindow(simulator).ticker}/orderbook`)
    const [frame] = recorded('rest-orderbook.jsonl')
    expect(Object.keys(json)).toEqual(Object.keys(frame ?? {}))
    expect(shapeOf(json.orderbook_fp)).toEqual(shapeOf((frame as { orderbook_fp: Json }).orderbook_fp))
  })

  test('of a settled market, which has every recorded key with the same type', async () => {
    const simulator = await openKalshi({
      startMs: Date.parse('2026-11-15T18:10:00Z'),
      pastMs: 3_600_000,
      kalshi: { hot: 0, medium: 0, cold: 120 },
    })
    const { json } = await getKalshi(simulator, '/markets?status=settled&series_ticker=KXEPLGAME')
    const [frame] = recorded('rest-market-finalized.json')
    const { market } = frame as { market: Json }
    expect(shapeOf(json.markets[0])).toEqual(expect.arrayContaining(shapeOf(market)))
  })
})

// Nightly: reads simulated sockets in real time.
import { expect, test } from 'vitest'
import { recordTape } from '../src/polymarket/tape/record-tape.ts'
import type { SimulatorOptions } from '../src/simulator.ts'
import type { Market } from '../src/world/market.ts'
import { usualSize } from '../src/world/roster.ts'
import { BY_HAND, moveWorld, openSimulator } from './open-simulator.ts'
import { TestClient } from './test-client.ts'

/** Ten seconds before a window ends; its markets resolve within the tape. */
const WORLD = { seed: 'tape', startMs: Date.parse('2026-11-15T02:24:50Z'), size: usualSize(60) }
const SECONDS = 75
const TAPE_END_MS = WORLD.startMs + SECONDS * 1_000
const AFTER_TAPE_MS = TAPE_END_MS + 10_000

test('a simulator with a tape sends the same frames as one without, also to a later client and after the tape', async () => {
  const written = await framesOf({}, AFTER_TAPE_MS)
  const played = await framesOf({ tape: await recordTape(WORLD, SECONDS) }, AFTER_TAPE_MS)
  for (const [index, frames] of written.entries()) expect(played[index]).toEqual(frames)
  const types = new Set(written[0]?.map((text) => /"event_type":"(\w+)"/.exec(text)?.[1]))
  for (const type of ['book', 'price_change', 'best_bid_ask', 'last_trade_price', 'market_resolved'])
    expect(types).toContain(type)
})

test('one part and several parts have the same frames', async () => {
  const [one, several] = await Promise.all([recordTape(WORLD, 5, 1), recordTape(WORLD, 5, 3)])
  const toMs = WORLD.startMs + 5_000
  expect(await framesOf({ tape: several }, toMs)).toEqual(await framesOf({ tape: one }, toMs))
})

test('an active fault changes the frames of a tape too', async () => {
  const simulator = await openSimulator({
    ...WORLD,
    speed: BY_HAND,
    tape: await recordTape(WORLD, SECONDS),
    faults: [{ name: 'clock-offset', options: { ms: 5_000 } }],
  })
  const client = await followAll(simulator.addresses.marketSocket, trading(simulator.world.markets.values()))
  await moveWorld(simulator, client, WORLD.startMs + 1_000)
  const change = await client.event('price_change')
  expect(Number(change.json.timestamp)).toBeGreaterThan(WORLD.startMs + 5_000)
})

test('a world that does not follow its tape is an error', async () => {
  const simulator = await openSimulator({ ...WORLD, speed: BY_HAND, tape: await recordTape(WORLD, SECONDS) })
  const [market] = trading(simulator.world.markets.values())
  if (market === undefined) throw new Error('no market is trading')
  expect(() => simulator.world.settleNow(market)).toThrow('the world differs from its tape')
})

/**
 * The frames of three clients: of both tokens with custom events, of single tokens without, and one that subscribes
 * when the others are done.
 */
async function framesOf(options: Partial<SimulatorOptions>, toMs: number): Promise<string[][]> {
  const simulator = await openSimulator({ ...WORLD, speed: BY_HAND, ...options })
  const address = simulator.addresses.marketSocket
  const markets = trading(simulator.world.markets.values())
  const all = await followAll(address, markets)
  const few = await TestClient.open(address)
  few.subscribe(
    markets.map(({ tokenIds }) => tokenIds[1]),
    { custom_feature_enabled: false },
  )
  await few.roundTrip()
  await moveWorld(simulator, all, toMs - 1_000)
  const late = await followAll(address, trading(simulator.world.markets.values()))
  await moveWorld(simulator, late, toMs)
  const clients = [all, few, late]
  for (const client of clients) await client.roundTrip()
  return clients.map(({ frames }) => frames.map(({ text }) => text).filter((text) => text !== 'PONG'))
}

async function followAll(address: string, markets: readonly Market[]): Promise<TestClient> {
  const client = await TestClient.open(address)
  client.subscribe(markets.flatMap(({ tokenIds }) => tokenIds))
  await client.roundTrip()
  return client
}

function trading(markets: Iterable<Market>): Market[] {
  return [...markets].filter(({ phase }) => phase === 'trading')
}

import { onTestFinished } from 'vitest'
import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator.ts'
import type { Market } from '../src/world/market.ts'
import { usualSize } from '../src/world/roster.ts'
import type { TestClient } from './test-client.ts'

const STEP_MS = 5_000

/** A simulator for one test, on a free port, closed when the test ends. */
export async function openSimulator(given: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    seed: 'test',
    startMs: Date.parse('2026-11-15T02:21:00Z'),
    size: usualSize(60),
    speed: 1,
    port: 0,
    faults: [],
    ...given,
  })
  onTestFinished(() => simulator.stop())
  return simulator
}

/** The speed of a world whose clock the test moves. */
export const BY_HAND = 0

/** Moves the clock of the world step by step; frames of each step are received before the next. */
export async function moveWorld({ world }: Simulator, client: TestClient, toMs: number): Promise<void> {
  while (world.nowMs < toMs) {
    world.advance(Math.min(toMs, world.nowMs + STEP_MS))
    await client.roundTrip()
  }
}

/** The open five-minute Bitcoin window: always hot, so something soon happens. */
export function hotMarket({ world }: Simulator): Market {
  return marketBySlug(world.markets.values(), /^btc-updown-5m-1794709200$/)
}

/** Another hot market, for tests with two. */
export function otherHotMarket({ world }: Simulator): Market {
  return marketBySlug(world.markets.values(), /^eth-updown-5m-1794709200$/)
}

function marketBySlug(markets: Iterable<Market>, slug: RegExp): Market {
  for (const market of markets) if (slug.test(market.draft.slug)) return market
  throw new Error(`no market is called ${slug}`)
}

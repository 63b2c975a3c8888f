import type { FaultName } from '../src/faults/fault-list.ts'
import type { Simulator } from '../src/simulator.ts'
import type { Market } from '../src/world/market.ts'
import { hotMarket, openSimulator } from './open-simulator.ts'
import { switchOn } from './switch-fault.ts'
import { type JsonFrame, TestClient } from './test-client.ts'

export interface Scene {
  simulator: Simulator
  market: Market
  /** A client subscribed to both tokens of the hot market that has got the first books. */
  client: TestClient
  on: (name: FaultName, more?: object) => Promise<string>
}

export const isChange = ({ json }: JsonFrame): boolean => json?.event_type === 'price_change'

export async function scene(): Promise<Scene> {
  const simulator = await openSimulator()
  const market = hotMarket(simulator)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(market.tokenIds)
  await client.frame('first books', ({ json }) => Array.isArray(json))
  return { simulator, market, client, on: (name, more = {}) => switchOn(simulator, { name, ...more }) }
}

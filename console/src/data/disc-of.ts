import type { HeatTrade } from '../views/heat-map/heat-map-data.ts'

interface TokenTrade extends HeatTrade {
  readonly side: string
}

/** A trade on the map of a token. A trade of the other token is the opposite trade at the opposite price. */
export function discOf({ side, action, price, size, atMs }: TokenTrade, shown: 'up' | 'down'): HeatTrade {
  if ((side === 'UP') === (shown === 'up')) return { atMs, price, size, action }
  return { atMs, price: 1 - price, size, action: action === 'buy' ? 'sell' : 'buy' }
}

import { usdUnitsIn } from '@bookreel/service/domain/decimal'
import type { Market } from '@bookreel/service/domain/market'
import type { SettlementPoint, SettlementPrice } from '@bookreel/service/domain/rows/settlement-price'
import { windowPrices } from '@bookreel/simulator/world/fair-price'
import type { World } from '@bookreel/simulator/world/world'

/** The price that the simulated venue states for the start or the end of a window; undefined for other markets. */
export function statedPrice(
  world: World,
  { id, startsAtMs, endsAtMs }: Pick<Market, 'id' | 'startsAtMs' | 'endsAtMs'>,
  point: SettlementPoint,
): SettlementPrice | undefined {
  const window = world.markets.get(id)?.draft.window
  if (window === undefined || startsAtMs === undefined) return undefined
  const { opening, closing } = windowPrices(window, world.spot, startsAtMs, endsAtMs)
  const [settlesAtMs, usd] = point === 'start' ? [startsAtMs, opening] : [endsAtMs, closing]
  const price = usdUnitsIn(String(usd)) ?? 0n
  const knownAtMs = world.nowMs
  return { marketId: id, point, source: 'polymarket', settlesAtMs, price, priceAtMs: settlesAtMs, knownAtMs }
}

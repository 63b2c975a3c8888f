import type { TestService } from '@bookreel/testbed/service/test-service'
import { until } from '@bookreel/testbed/until'
import type { Market } from '../../../src/domain/market.ts'
import type { StoredMarket } from '../../../src/stores/markets/postgres-market-rows.ts'

export async function recordedUntil(service: TestService): Promise<number> {
  await until('rows', async () => {
    const live = await find(service, ({ timeframe }) => timeframe === 'hit-price')
    const other = await find(service, ({ category }) => category !== 'crypto')
    return live !== undefined && other !== undefined
  })
  await service.stopRecording()
  return Date.now()
}
export async function recordedMarket(
  service: TestService,
  _: number,
  isWanted: (m: Market) => boolean,
): Promise<StoredMarket> {
  const m = await find(
    service,
    (market) =>
      isWanted(market) &&
      (market.category !== 'crypto' ||
        (market.timeframe === 'hit-price' && service.simulator.world.markets.get(market.id)?.activity === 'hot')),
  )
  if (!m) throw new Error('none')
  return m
}
async function find({ stores }: TestService, isWanted: (m: Market) => boolean) {
  const { catalogue, marketDays, newestRows } = stores
  for (const market of catalogue
    .list({ statuses: ['live'] }, Date.now())
    .filter(isWanted)
    .toReversed()) {
    const rows = (await marketDays.days(market.id)).reduce((sum, { rowCount }) => sum + rowCount, 0)
    if (rows >= 40 && (await newestRows.read(market.id)).length > 0) return market
  }
  return undefined
}

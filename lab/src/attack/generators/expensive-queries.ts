import { TIER_LIMITS, TIERS } from '@bookreel/service/domain/tier'
import type { Attack } from '../attack.ts'
import type { Generator } from '../generator.ts'

/** Above the rate of the tier, so that the limit is what decides. */
const OVER_LIMIT = 1.1
const AT_ONCE = 60
const MARKETS_AT_ONCE = 20

/** One account of each tier asks for the largest pages as fast as its tier allows. */
export const expensiveQueries: Generator = {
  name: 'expensive-queries',
  isKeyed: true,
  async run(attack) {
    await Promise.all(
      TIERS.map((tier) =>
        attack.every((OVER_LIMIT * TIER_LIMITS[tier].rpm) / 60, AT_ONCE, async (index) => {
          await attack.ask({ path: pathOf(attack, index), headers: { 'x-api-key': attack.key(tier) } })
        }),
      ),
    )
  },
  bounds: () => [],
}

function pathOf({ scene }: Attack, index: number): string {
  const { pastIds, pastRange, marketIds } = scene
  const id = pastIds[index % pastIds.length]
  const live = marketIds[index % marketIds.length]
  const range = `from=${pastRange.fromMs}&to=${pastRange.toMs}`
  const paths = [
    `/v1/markets/${id}/snapshots?limit=500&${range}`,
    `/v1/markets/${id}/bars?limit=1000&${range}`,
    `/v1/markets/${live}/snapshots?limit=500`,
    `/v1/asof?markets=${pastIds.slice(0, MARKETS_AT_ONCE).join(',')}&timestamp=${pastRange.toMs}`,
    `/v1/trades?marketId=${id}&limit=500&${range}`,
    `/v1/markets/${id}/gaps?${range}`,
    '/v1/markets/history?limit=5000',
  ]
  return paths[index % paths.length] ?? ''
}

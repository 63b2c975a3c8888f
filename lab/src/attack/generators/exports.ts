import { TIER_LIMITS, TIERS } from '@bookreel/service/domain/tier'
import type { Generator } from '../generator.ts'

/** No client downloads more a second; the rate of the highest tiers is for small answers. */
const MOST_PER_SECOND = 5
const AT_ONCE = 20

/** One account of each tier downloads finished hours, also such that have no file yet. */
export const exportHours: Generator = {
  name: 'exports',
  isKeyed: true,
  async run(attack) {
    const { pastIds, hourMs } = attack.scene
    const hour = new Date(hourMs).toISOString()
    await Promise.all(
      TIERS.map((tier) =>
        attack.every(Math.min(MOST_PER_SECOND, TIER_LIMITS[tier].rpm / 60), AT_ONCE, async (index) => {
          const id = pastIds[index % pastIds.length]
          await attack.ask({
            path: `/v1/markets/${id}/export?hour=${hour}`,
            headers: { 'x-api-key': attack.key(tier) },
          })
        }),
      ),
    )
  },
  bounds: () => [],
}

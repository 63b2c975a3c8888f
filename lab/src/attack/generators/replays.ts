import { TIER_LIMITS, TIERS } from '@bookreel/service/domain/tier'
import type { Generator } from '../generator.ts'

const MARKETS_EACH = 10
const DRY_RUN = 'only-count'

/** One account of each tier uses all its connections for replays at the highest speed, one after another. */
export const replays: Generator = {
  name: 'replays',
  isKeyed: true,
  async run(attack) {
    const { pastIds, pastRange } = attack.scene
    const replay = (index: number, isDryRun: boolean): string =>
      JSON.stringify({
        id: isDryRun ? DRY_RUN : 'replay',
        op: 'replay',
        selectors: pastIds
          .slice(index % pastIds.length)
          .slice(0, MARKETS_EACH)
          .map((market) => ({ market })),
        channels: ['book'],
        from: pastRange.fromMs,
        to: pastRange.toMs,
        speed: 'max',
        ...(isDryRun && { dry_run: true }),
      })
    await Promise.all(
      TIERS.filter((tier) => TIER_LIMITS[tier].wsMax > 0).map((tier) =>
        attack.holdStreams(TIER_LIMITS[tier].wsMax, attack.key(tier), (socket, index) => {
          socket.on('message', (data: Buffer) => {
            const text = data.toString()
            const type = /"type":"([\w.]+)"/.exec(text.slice(0, 100))?.[1] ?? 'unknown'
            attack.tally.count(`frame ${type}`)
            if (type === 'welcome') socket.send(replay(index, true))
            else if (type === 'replay_ended' || text.includes(DRY_RUN)) socket.send(replay(index, false))
          })
        }),
      ),
    )
  },
  bounds: () => [],
}

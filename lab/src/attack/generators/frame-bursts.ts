import { TIER_LIMITS, TIERS } from '@bookreel/service/domain/tier'
import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const FRAMES = 250
const BURST_EVERY_MS = 1_000
/** Forty frames at once are allowed; the connection ends soon after. */
const ACKNOWLEDGED = 80
const HELD_S = 12

/** One account of each tier sends bursts of 250 frames on all its connections: pings, subscriptions, invalid ones. */
export const frameBursts: Generator = {
  name: 'frame-bursts',
  isKeyed: true,
  async run(attack) {
    const { marketIds } = attack.scene
    const frames = burst(marketIds)
    await Promise.all(
      TIERS.filter((tier) => TIER_LIMITS[tier].wsMax > 0).map((tier) =>
        attack.holdStreams(TIER_LIMITS[tier].wsMax, attack.key(tier), (socket) => {
          socket.on('message', (data: Buffer) => {
            if (data.toString().startsWith('{"type":"ack"')) attack.tally.count('frames acknowledged')
          })
          const send = (): void => {
            for (const frame of frames) if (socket.readyState === socket.OPEN) socket.send(frame)
            attack.tally.count('bursts')
          }
          const timer = setInterval(send, BURST_EVERY_MS)
          socket.once('close', () => clearInterval(timer))
          send()
        }),
      ),
    )
  },
  bounds: ({ counts, longestMs }, { patience }) => [
    bound('frame-bursts: longest connection', longestMs / 1_000, '<=', HELD_S * patience, 's'),
    bound(
      'frame-bursts: frames acknowledged on each connection',
      Math.round((counts['frames acknowledged'] ?? 0) / Math.max(1, counts['streams opened'] ?? 0)),
      '<=',
      ACKNOWLEDGED,
    ),
  ],
}

function burst(marketIds: readonly string[]): string[] {
  const selectors = marketIds.slice(0, 400).map((market) => ({ market }))
  const kinds = [
    (id: number) => JSON.stringify({ id, op: 'subscribe', selectors, channels: ['book', 'bbo', 'trade'] }),
    (id: number) => JSON.stringify({ id, op: 'unsubscribe' }),
    (id: number) => JSON.stringify({ id, op: 'ping' }),
    (id: number) => JSON.stringify({ id, op: 'no such op' }),
  ]
  return Array.from({ length: FRAMES }, (_, id) => kinds[id % kinds.length]?.(id) ?? '')
}

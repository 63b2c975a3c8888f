import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 20
/** For one address: 60 at once and 120 a minute, and some for those that were on their way. */
const [BURST, REFILL_PER_SECOND, SLACK] = [60, 2, 20]

/** Open WebSockets without a key from one address and close them at once, again and again. */
export const upgradeChurn: Generator = {
  name: 'upgrade-churn',
  async run(attack) {
    await attack.holdStreams(SOCKETS, undefined, (socket) => socket.terminate(), 0)
  },
  bounds: ({ counts }, { seconds }) => [
    bound(
      'upgrade-churn: connections opened',
      counts['streams opened'] ?? 0,
      '<=',
      Math.ceil(BURST + SLACK + seconds * REFILL_PER_SECOND),
    ),
  ],
}

import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 200
/** A connection has five seconds to send its key. */
const HELD_S = 12

/** Open WebSockets without a key and send nothing. */
export const upgradeFlood: Generator = {
  name: 'upgrade-flood',
  async run(attack) {
    await attack.holdStreams(SOCKETS, undefined, () => {})
  },
  bounds: ({ longestMs }, { patience }) => [
    bound('upgrade-flood: longest connection', longestMs / 1_000, '<=', HELD_S * patience, 's'),
  ],
}

import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 200
const HELD_S = 60

/** Connect and neither send nor read anything. */
export const halfOpen: Generator = {
  name: 'half-open',
  async run(attack) {
    await attack.hold(SOCKETS, (socket) => socket.pause())
  },
  bounds: ({ longestMs }) => [bound('half-open: longest connection', longestMs / 1_000, '<=', HELD_S, 's')],
}

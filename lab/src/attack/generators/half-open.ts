import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 200
/** The service waits five seconds for the headers; a busy one notices later. */
const HELD_S = 15

/** Connect and send nothing. */
export const halfOpen: Generator = {
  name: 'half-open',
  async run(attack) {
    await attack.hold(SOCKETS, (socket) => socket.resume())
  },
  bounds: ({ longestMs }, { patience }) => [
    bound('half-open: longest connection', longestMs / 1_000, '<=', HELD_S * patience, 's'),
  ],
}

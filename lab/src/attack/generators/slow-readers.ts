import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 60
const REQUESTS_EACH = 40
const HELD_S = 60

/** Ask for large documents many times on one connection and never read an answer. */
export const slowReaders: Generator = {
  name: 'slow-readers',
  async run(attack) {
    await attack.hold(SOCKETS, (socket) => {
      socket.pause()
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(REQUESTS_EACH))
    })
  },
  bounds: ({ longestMs }) => [bound('slow-readers: longest connection', longestMs / 1_000, '<=', HELD_S, 's')],
}

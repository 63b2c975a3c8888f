import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 150
const BYTE_EVERY_MS = 700
/** The service waits five seconds for the headers; a busy one notices later. */
const HELD_S = 15

/** Send a request line and then a byte of a header now and then. */
export const slowHeaders: Generator = {
  name: 'slow-headers',
  async run(attack) {
    await attack.hold(SOCKETS, (socket) => {
      socket.write('GET /v1/status HTTP/1.1\r\nX-Slow: ')
      const timer = setInterval(() => socket.write('a'), BYTE_EVERY_MS)
      socket.once('close', () => clearInterval(timer))
    })
  },
  bounds: ({ longestMs }, { patience }) => [
    bound('slow-headers: longest connection', longestMs / 1_000, '<=', HELD_S * patience, 's'),
  ],
}

import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 60
const REQUESTS_EACH = 40
/** The service waits thirty seconds, and as long as a line of 16 KiB a second needs for what is unread. */
const HELD_S = 75
const PROBE_EVERY_MS = 1_000

/** Ask for large documents many times on one connection and never read an answer. */
export const slowReaders: Generator = {
  name: 'slow-readers',
  async run(attack) {
    await attack.hold(SOCKETS, (socket) => {
      socket.pause()
      // Only a write shows a paused reader that the connection was closed.
      const timer = setInterval(() => socket.write('\r\n'), PROBE_EVERY_MS)
      socket.once('close', () => clearInterval(timer))
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(REQUESTS_EACH))
    })
  },
  bounds: ({ longestMs }, { patience }) => [
    bound('slow-readers: longest connection', longestMs / 1_000, '<=', HELD_S * patience, 's'),
  ],
}

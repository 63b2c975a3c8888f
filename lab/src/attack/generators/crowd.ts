import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 400
const ASK_EVERY_MS = 3_000
/** What the service allows for one address. */
const ALLOWED = 256

/** Hold many connections from one address, each with a request often enough to stay open. */
export const crowd: Generator = {
  name: 'crowd',
  async run(attack) {
    const ask = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'
    await attack.hold(
      SOCKETS,
      (socket) => {
        socket.resume()
        socket.write(ask)
        const timer = setInterval(() => socket.write(ask), ASK_EVERY_MS)
        socket.once('close', () => clearInterval(timer))
      },
      0,
    )
  },
  bounds({ counts }, { load, seconds }) {
    const sockets = Math.round(SOCKETS * load)
    // In the first seconds nothing has been closed yet.
    if (sockets <= ALLOWED || seconds < 5) return []
    return [bound('crowd: connections closed', (counts.connections ?? 0) - sockets, '>=', sockets - ALLOWED)]
  },
}

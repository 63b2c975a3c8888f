import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 100
const BYTE_EVERY_MS = 700
/** The service waits ten seconds for the whole request; a busy one notices later. */
const HELD_S = 22

/** Announce a payment callback of 60 kB and send a byte of it now and then. */
export const slowBodies: Generator = {
  name: 'slow-bodies',
  async run(attack) {
    await attack.hold(SOCKETS, (socket) => {
      socket.write(
        'POST /v1/payments/callbacks/nowpayments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
      )
      const timer = setInterval(() => socket.write(' '), BYTE_EVERY_MS)
      socket.once('close', () => clearInterval(timer))
    })
  },
  bounds: ({ longestMs }, { patience }) => [
    bound('slow-bodies: longest connection', longestMs / 1_000, '<=', HELD_S * patience, 's'),
  ],
}

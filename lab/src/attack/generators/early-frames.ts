import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const SOCKETS = 20
const FRAMES_EVERY_MS = 50
const FRAMES = 50
const FRAME = Buffer.alloc(8_000, ' ')
const HELD_S = 12

/**
 * Open WebSockets without a key and send large frames instead of the key for as long as the connection lasts, without
 * reading, so that the closing handshake never ends.
 */
export const earlyFrames: Generator = {
  name: 'early-frames',
  async run(attack) {
    await attack.holdStreams(SOCKETS, undefined, (socket) => {
      socket.pause()
      const timer = setInterval(() => {
        for (let index = 0; index < FRAMES && socket.bufferedAmount === 0; index++) socket.send(FRAME)
      }, FRAMES_EVERY_MS)
      socket.once('close', () => clearInterval(timer))
    })
  },
  bounds: ({ longestMs }, { patience }) => [
    bound('early-frames: longest connection', longestMs / 1_000, '<=', HELD_S * patience, 's'),
  ],
}

import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

/**
 * Minimal fan-out: one buffer, made once and time-stamped for each send, to all sockets as fast as they read. No key,
 * no subscription, no bus. Arguments: the size of the buffer and the number of sockets to wait for.
 */
const [size = '1000', expected = '1'] = process.argv.slice(2)
/** Like the gateway, it skips sockets with unread data above this limit. */
const HIGH_WATER_BYTES = 256 * 1024
const REST_MS = 1

const head = `{"channel":"book","sent_at":${Date.now()},"x":"`
const stampAt = head.indexOf(':1') + 1
const message = Buffer.from(`${head}${'y'.repeat(Math.max(0, Number(size) - head.length - 2))}"}`)
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })

function broadcast(): void {
  message.write(String(Date.now()), stampAt, 'latin1')
  let isTaken = false
  for (const socket of server.clients) {
    if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > HIGH_WATER_BYTES) continue
    socket.send(message, { binary: false })
    isTaken = true
  }
  if (server.clients.size === 0) return
  if (isTaken) setImmediate(broadcast)
  else setTimeout(broadcast, REST_MS)
}

server.on('connection', (socket) => {
  socket.on('error', () => {})
  if (server.clients.size === Number(expected)) broadcast()
})
server.on('listening', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit(0)).once('disconnect', () => process.exit(0))

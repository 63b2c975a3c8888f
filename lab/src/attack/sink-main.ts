import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/** A bare server: accepts everything, discards it, and answers every request with 204 and every upgrade with 101. */
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => response.writeHead(204).end())
})
server.on('clientError', (_error, socket) => socket.destroy())
server.on('upgrade', (request, socket, head) => {
  socket.on('error', () => socket.destroy())
  sockets.handleUpgrade(request, socket, head, (webSocket) => {
    webSocket.on('error', () => {})
    webSocket.on('message', () => {})
  })
})
server.listen(0, process.argv[2], () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit(0)).once('disconnect', () => process.exit(0))

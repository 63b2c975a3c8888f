import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { FrameScanner } from './frame-scanner.ts'

test('frames of every length are found, however they are split, with their sending time', async () => {
  const texts = [10, 120, 200, 60_000, 70_000].map(
    (length, index) => `{"channel":"book","sent_at":${1_000 + index},"x":"${'y'.repeat(length)}"}`,
  )
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  server.on('connection', (socket) => {
    for (const text of texts) socket.send(text)
    socket.ping('here?')
    socket.close(4_009)
  })
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const isWhole = (): boolean => Buffer.concat(chunks).includes(Buffer.from([0x88, 0x02, 0x0f, 0xa9]))
  while (!isWhole()) await once(socket, 'data')
  socket.destroy()
  const all = Buffer.concat(chunks)
  const bytes = all.subarray(all.indexOf('\r\n\r\n') + 4)

  for (let cut = 0; cut < 400; cut++) {
    const seen: unknown[] = []
    const scanner = new FrameScanner({
      message: (sentAtMs, length) => seen.push([sentAtMs, length]),
      ping: (payload) => seen.push(payload.toString()),
      close: (code) => seen.push(code),
    })
    // One split is among the headers of the short frames, one in the last frame.
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut, -cut - 1), bytes.subarray(-cut - 1)])
      scanner.take(piece)
    expect(seen).toEqual([...texts.map((text, index) => [1_000 + index, text.length]), 'here?', 4_009])
  }
})

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openFeed } from './open-feed.ts'

const NO_LIMITS = { heartbeat: { frame: 'PING', everyMs: 3_600_000 } }

test.each([
  ['closed', (socket: WebSocket) => socket.close(1000), 'lost disconnected closed with 1000'],
  ['lost', (socket: WebSocket) => socket.terminate(), 'lost disconnected closed with 1006'],
] as const)(
  'a socket that is %s is a lost connection, and the next one subscribes everything again',
  async (_, end, lost) => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.close())
    const subscribed: unknown[] = []
    server.on('connection', (socket) => {
      socket.on('message', (frame: Buffer) => {
        if (subscribed.push(JSON.parse(frame.toString()).assets_ids) === 1) end(socket)
      })
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const feed = openFeed({ addresses: { marketSocket: `ws://127.0.0.1:${port}` } }, ['up', 'down'], NO_LIMITS)
    await expect
      .poll(() => subscribed)
      .toEqual([
        ['up', 'down'],
        ['up', 'down'],
      ])
    expect(feed.calls).toEqual(['opened', lost, 'opened'])
  },
)

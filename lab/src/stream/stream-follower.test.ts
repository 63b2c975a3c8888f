import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { StreamFollower } from './stream-follower.ts'

interface Asked {
  readonly op: string
  readonly since?: Record<string, number>
}

const book = (seq: number) => ({ channel: 'book', type: 'snapshot', market: 'm', seq })
const gap = (from: number, to: number) => ({
  channel: 'book',
  type: 'gap',
  market: 'm',
  from_seq: from,
  to_seq: to,
  kind: 'missing',
  cause: 'disconnected',
})

/** A server that sends a given list of frames to each connection. */
async function follow(...visits: object[][]): Promise<{ follower: StreamFollower; asked: Asked[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const asked: Asked[] = []
  server.on('connection', (socket: WebSocket) => {
    socket.send(JSON.stringify({ type: 'welcome' }))
    socket.once('message', (data) => {
      const frames = visits[asked.length] ?? []
      asked.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : ''))
      for (const frame of frames) socket.send(JSON.stringify(frame))
      if (asked.length < visits.length) socket.close()
    })
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const follower = new StreamFollower({ url, key: 'k', markets: ['m'] })
  const running = follower.run()
  onTestFinished(async () => {
    follower.stop()
    await running
    server.close()
  })
  return { follower, asked }
}

const untilLast = (follower: StreamFollower, seq: number) =>
  vi.waitUntil(() => follower.seqsOf('m').at(-1) === seq, { timeout: 60_000 })

test('an unannounced missing slot is detected, and a repeated one', async () => {
  const { follower } = await follow([book(1), book(2), book(4), book(4), book(5)])
  await untilLast(follower, 5)
  expect(follower.silent).toEqual([{ market: 'm', after: 2, before: 4 }])
  expect(follower.twice).toBe(1)
})

test('a gap explains exactly its slots', async () => {
  const { follower } = await follow([book(1), gap(2, 3), book(4), gap(5, 6), book(8)])
  await untilLast(follower, 8)
  expect(follower.silent).toEqual([{ market: 'm', after: 4, before: 8 }])
  expect(follower.gaps).toHaveLength(2)
})

test('it resumes after the last received slot, and does not count a gap whose end it never saw', async () => {
  const { follower, asked } = await follow([book(1), book(2), gap(3, 4)], [book(3), book(6)])
  await untilLast(follower, 6)
  expect(asked).toMatchObject([{ op: 'subscribe' }, { op: 'resume', since: { m: 2 } }])
  expect(follower.silent).toEqual([{ market: 'm', after: 3, before: 6 }])
  expect(follower.gaps).toEqual([])
  expect(follower.resumptions).toHaveLength(1)
})

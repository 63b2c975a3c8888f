// Nightly: depends on how fast sockets are read.
import { setTimeout as sleep } from 'node:timers/promises'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { laddersAt, rowAt, slotNow } from './published-rows.ts'

let scene: GatewayScene
let patient: Node
let impatient: Node

beforeAll(async () => {
  scene = await GatewayScene.open()
  patient = await scene.startNode({ slowForMs: 600_000 })
  impatient = await scene.startNode({ slowForMs: 300 })
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

describe('a slow reader', () => {
  test('gets one notice and the newest book when it reads again, and no other reader waits for it', async () => {
    const it = madeMarket('slow one')
    await scene.list(it)
    const [slow, quick] = [await scene.client(patient), await scene.client(patient)]
    for (const each of [slow, quick]) await each.ask({ op: 'subscribe', selectors: [{ market: it.id }] })
    const from = slotNow(it)
    const wide = Array.from({ length: 3_000 }, (_, index) => ({ price: 5_000 - index, size: 1_000_000 + index }))
    slow.socket.pause()
    const last = from + 200
    for (let slot = from; slot <= last; slot++) {
      await scene.publish({ rows: [rowAt(it, slot, { bids: wide, asks: laddersAt(slot).asks })] })
    }
    await quick.seq('book', it.id, last)
    expect(quick.of('book').map(({ seq }) => seq)).toEqual(Array.from({ length: 201 }, (_, index) => from + index))
    slow.socket.resume()
    await slow.seq('book', it.id, last)
    const skipped = slow.of('book').filter(({ type }) => type === 'skipped')
    expect(skipped).toHaveLength(1)
    const [notice] = skipped
    const books = slow.of('book').filter(({ type }) => type === 'snapshot')
    expect(notice.from_seq).toBe(books.at(-2).seq + 1)
    expect(notice.to_seq).toBe(last - 1)
    expect(notice.frames).toBe(notice.to_seq - notice.from_seq + 1)
    expect(books.at(-1).prev_seq).toBe(books.at(-2).seq)
    await scene.publish({ rows: [rowAt(it, last + 1)] })
    await slow.seq('book', it.id, last + 1)
    for (const each of [slow, quick]) each.expectOnlyFrames()
    await Promise.all([slow.close(), quick.close()])
  })

  test('is disconnected after a while, and may reconnect', async () => {
    const it = madeMarket('slow two')
    await scene.list(it)
    const client = await scene.client(impatient)
    await client.ask({ op: 'subscribe', selectors: [{ market: it.id }] })
    const from = slotNow(it) + 100
    const wide = Array.from({ length: 3_000 }, (_, index) => ({ price: 5_000 - index, size: 1_000_000 + index }))
    await scene.publish({ rows: [rowAt(it, from)] })
    await client.seq('book', it.id, from)
    client.socket.pause()
    for (let slot = from + 1; slot < from + 200; slot++) {
      await scene.publish({ rows: [rowAt(it, slot, { bids: wide, asks: laddersAt(slot).asks })] })
    }
    // Only time makes a reader too slow, and the gateway checks every 50 ms.
    await sleep(1_000)
    client.socket.resume()
    expect(await client.untilClosed()).toEqual({ code: 4009, reason: 'slow_reader' })
    expect(client.frames.at(-1)).toMatchObject({ type: 'closing', code: 'slow_reader', reconnect: true })
    expect(client.of('book').filter(({ seq }) => seq !== undefined).length).toBeLessThan(200)
  })

  test('that replays and reads nothing any more is disconnected too', async () => {
    const it = madeMarket('slow three')
    await scene.list(it)
    const first = slotNow(it) - 400
    const wide = (slot: number) =>
      Array.from({ length: 3_000 }, (_, index) => ({ price: 5_000 - index, size: 1_000_000 + index + slot }))
    const rows = Array.from({ length: 300 }, (_, index) =>
      rowAt(it, first + index, { bids: wide(index), asks: laddersAt(first + index).asks }),
    )
    await scene.storeOnly({ rows })
    const client = await scene.client(impatient)
    const [from, to] = [first * it.captureIntervalMs, (first + 300) * it.captureIntervalMs]
    await client.ask({ op: 'replay', selectors: [{ market: it.id }], channels: ['book'], from, to, speed: 'max' })
    client.socket.pause()
    // Six times the limit of this node, and what its buffers take.
    await sleep(5_000)
    client.socket.resume()
    expect(await client.untilClosed()).toEqual({ code: 4009, reason: 'slow_reader' })
    expect(client.of('book').length).toBeLessThan(300)
  })
})

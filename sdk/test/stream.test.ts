import { until } from '@bookreel/testbed/until'
import type { FrozenWorld } from '@bookreel/testbed/world/frozen-world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeKey } from '../../service/src/access/revoke-key.ts'
import { type BookFrame, BookKeeper, Bookreel, BookreelError, type StreamEvent } from '../src/index.ts'
import { readUntil, StreamScene } from './stream-scene.ts'

let scene: StreamScene
let world: FrozenWorld
let market: string

beforeAll(async () => {
  scene = await StreamScene.open({ world: 'moving' })
  world = scene.service.world
  market = world.live5m.id
})

afterAll(() => scene?.[Symbol.asyncDispose]())

const booksOf = (events: readonly StreamEvent[]): BookFrame[] =>
  events.filter((event): event is BookFrame => event.type === 'snapshot' || event.type === 'delta')
const seqsOf = (events: readonly StreamEvent[]): number[] => booksOf(events).map(({ seq }) => seq)

const TICK_MS = 250
/** The slots of so many ticks that begin now. */
const nextSlots = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => world.nowMs / TICK_MS + 1 + index)

/** Lets the world go on once the stream is connected, and reads it until it has this many books. */
function readBooks(stream: AsyncIterable<StreamEvent>, count: number): Promise<StreamEvent[]> {
  return readUntil(stream, async (event, all) => {
    if (event.type === 'connected') await world.advance(count * TICK_MS)
    return booksOf(all).length === count
  })
}

async function failureOf(events: AsyncIterable<StreamEvent>): Promise<BookreelError> {
  const error = await readUntil(events, () => false).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(BookreelError)
  return error as BookreelError
}

describe('a live stream', () => {
  test('first reports accepted and rejected selectors, then delivers every slot', async () => {
    const client = await scene.client()
    const unknown = { market: `0x${'0'.repeat(64)}` }
    const slots = nextSlots(8)
    const events = await readUntil(
      client.stream({ selectors: [{ market }, unknown], channels: ['book', 'bbo'] }),
      async (event, all) => {
        if (event.type === 'connected') await world.advance(2_000)
        return booksOf(all).length === 8
      },
    )
    expect(events[0]).toMatchObject({
      type: 'connected',
      tier: 'enterprise',
      accepted: [{ markets: [market] }, { markets: [market] }],
      rejected: [{ selector: unknown, reason: 'market_not_found' }, { selector: unknown }],
    })
    expect(seqsOf(events)).toEqual(slots)
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['connected', 'snapshot', 'bbo']))
  })

  test('loses no slot when connections break and the gateway restarts', async () => {
    const client = await scene.client()
    const keeper = new BookKeeper()
    const untrusted: number[] = []
    const failures: (() => Promise<void> | void)[] = [
      () => scene.proxy.breakAll(),
      () => scene.restartGateway(),
      () => {
        scene.proxy.isDown = true
        scene.proxy.breakAll()
      },
      () => scene.proxy.breakAll(),
    ]
    const slots = nextSlots(20)
    let booksSinceBegin = 0
    const stream = client.stream({ selectors: [{ market }], options: { mode: 'delta' } })
    const events = await readUntil(stream, async (event) => {
      keeper.apply(event)
      if (event.type === 'connected') await world.advance(1_000)
      if (event.type === 'delta' && keeper.get(market)?.isTrusted !== true) untrusted.push(event.seq)
      if (event.type === 'disconnected') expect(keeper.get(market)?.doubt).toBe('disconnected')
      if (event.type === 'reconnected') booksSinceBegin = 0
      if ((event.type !== 'delta' && event.type !== 'snapshot') || ++booksSinceBegin !== 4) return false
      const failure = failures.shift()
      if (failure === undefined) return true
      await failure()
      await world.advance(1_000)
      scene.proxy.isDown = false
      return false
    })
    expect(events.filter(({ type }) => type === 'disconnected')).toHaveLength(4)
    expect(events.filter(({ type }) => type === 'reconnected')).toHaveLength(4)
    expect(seqsOf(events)).toEqual(slots)
    expect(events.filter(({ type }) => type === 'gap' || type === 'skipped')).toEqual([])
    expect(untrusted).toEqual([])
    const { seq, frame, up } = keeper.get(market) ?? {}
    const at = { marketId: market, timestamp: frame?.captured_at ?? 0, includebook: true, side: 'UP' } as const
    const stored = await client.snapshots.get(at)
    expect(stored.sequence_number).toBe(seq)
    expect([up?.bids, up?.asks]).toEqual([stored.bids, stored.asks])
  })

  test('a slow reader gets the newest book after a skipped event', async () => {
    let received = 0
    class CountingSocket extends WebSocket {
      constructor(url: string) {
        super(url)
        this.addEventListener('message', () => received++)
      }
    }
    const client = scene.clientOf(await scene.service.keyOf('enterprise'), CountingSocket)
    const stream = client.stream({ selectors: [{ market }], options: { mode: 'delta' } }, { bufferSize: 2 })
    const keeper = new BookKeeper()
    const slots = nextSlots(9)
    const events = await readUntil(stream, async (event, all) => {
      keeper.apply(event)
      if (event.type === 'connected') await world.advance(TICK_MS)
      if (booksOf(all).length === 1 && event.type === 'snapshot') {
        const before = received
        await world.advance(2_000)
        await until('eight frames received', () => received === before + 8)
      }
      return booksOf(all).at(-1)?.seq === slots[8]
    })
    expect(seqsOf(events)).toEqual([...slots.slice(0, 3), slots[8]])
    const skipped = { type: 'skipped', channel: 'book', market, from_seq: slots[3], to_seq: slots[7], frames: 5 }
    expect(events.slice(-2)).toMatchObject([skipped, { type: 'snapshot', market }])
    expect(keeper.get(market)?.isTrusted).toBe(true)
  })

  test('ends by close, by a signal and by leaving the loop', async () => {
    const client = await scene.client()
    const stop = new AbortController()
    const byClose = client.stream({ selectors: [{ market }] })
    const bySignal = client.stream({ selectors: [{ market }] }, { signal: stop.signal })
    await readUntil(byClose, (event) => event.type === 'connected' && byClose.close())
    await readUntil(bySignal, (event) => event.type === 'connected' && stop.abort())
    await readBooks(client.stream({ selectors: [{ market }] }), 1)
    const abortedBefore = client.stream({ selectors: [{ market }] }, { signal: AbortSignal.abort() })
    expect(await readUntil(abortedBefore, () => false)).toEqual([])
    await expect(readUntil(byClose, () => true)).rejects.toThrow('one loop')
  })

  test('throws when the service refuses: a wrong key, a tier without streams, unknown markets', async () => {
    const request = { selectors: [{ market }] }
    expect((await failureOf(scene.clientOf(`br_live_${'a'.repeat(38)}`).stream(request))).code).toBe('unauthenticated')
    const free = scene.clientOf(await scene.service.keyOf('free'))
    expect((await failureOf(free.stream(request))).code).toBe('tier_not_allowed')
    const client = await scene.client()
    const unknown = client.stream({ selectors: [{ market: `0x${'0'.repeat(64)}` }] })
    expect((await failureOf(unknown)).code).toBe('market_not_found')
    const invalidUrl = new Bookreel({ baseUrl: 'http://127.0.0.1:1', streamUrl: 'nonsense', key: 'k' }).stream(request)
    expect((await failureOf(invalidUrl)).code).toBe('network')
    const wrong = client.stream({ ...request, options: { depth: 0 } })
    expect((await failureOf(wrong)).code).toBe('invalid_request')
  })

  test('sends a ticket instead of a key; a refused one ends the stream, and one that can not be fetched is fetched again', async () => {
    const request = { selectors: [{ market }] }
    const clientWith = (ticket: () => Promise<string>) =>
      new Bookreel({ baseUrl: scene.streamAddress, streamUrl: `${scene.streamAddress}/v1/stream`, ticket, retries: 1 })
    const refused = await failureOf(clientWith(async () => 'unknown').stream(request))
    expect(refused.code).toBe('cross_site_refused')
    let asked = 0
    const unreachable = async (): Promise<string> => {
      asked++
      throw new Error('no network')
    }
    expect((await failureOf(clientWith(unreachable).stream(request))).code).toBe('network')
    expect(asked).toBe(2)
    asked = 0
    const signedOut = async (): Promise<string> => {
      asked++
      throw new BookreelError('unauthenticated', 'Sign in first.', { status: 401 })
    }
    expect((await failureOf(clientWith(signedOut).stream(request))).code).toBe('unauthenticated')
    expect(asked).toBe(1)
  })

  test('throws when its key is revoked, and does not reconnect', async () => {
    const { key, keyId } = await scene.keyWith(100)
    const stream = scene.clientOf(key).stream({ selectors: [{ market }] })
    const connections = scene.proxy.connections
    const failure = failureOf(
      (async function* () {
        for await (const event of stream) {
          if (event.type === 'connected') await revokeKey(scene.service.access, keyId)
          yield event
        }
      })(),
    )
    expect((await failure).code).toBe('unauthenticated')
    expect(scene.proxy.connections - connections).toBe(1)
  })
})

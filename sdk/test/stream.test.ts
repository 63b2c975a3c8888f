import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeKey } from '../../service/src/access/revoke-key.ts'
import {
  type BookFrame,
  BookKeeper,
  Bookreel,
  BookreelError,
  type SkippedFrame,
  type StreamEvent,
} from '../src/index.ts'
import { readUntil, StreamScene } from './stream-scene.ts'

let scene: StreamScene
let market: string

beforeAll(async () => {
  scene = await StreamScene.open()
  market = scene.market()
})

afterAll(() => scene?.[Symbol.asyncDispose]())

const booksOf = (events: readonly StreamEvent[]): BookFrame[] =>
  events.filter((event): event is BookFrame => event.type === 'snapshot' || event.type === 'delta')

/** Every slot was either received or reported as missing, once and in order. */
function expectComplete(events: readonly StreamEvent[]): void {
  const slots: number[] = []
  for (const event of events) {
    if (event.type === 'snapshot' || event.type === 'delta') slots.push(event.seq)
    if (event.type === 'gap' && event.channel === 'book' && event.kind === 'missing') {
      for (let seq = event.from_seq; seq <= event.to_seq; seq++) slots.push(seq)
    }
  }
  const [first = 0] = slots
  expect(slots).toEqual(slots.map((_, index) => first + index))
  expect(events.filter(({ type }) => type === 'skipped')).toEqual([])
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
    const stream = client.stream({ selectors: [{ market }, unknown], channels: ['book', 'bbo'] })
    const events = await readUntil(stream, (_, all) => booksOf(all).length >= 8)
    expect(events[0]).toMatchObject({
      type: 'connected',
      tier: 'enterprise',
      accepted: [{ markets: [market] }, { markets: [market] }],
      rejected: [{ selector: unknown, reason: 'market_not_found' }, { selector: unknown }],
    })
    expectComplete(events)
    expect(events.some(({ type }) => type === 'bbo')).toBe(true)
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
        setTimeout(() => {
          scene.proxy.isDown = false
        }, 1_500)
      },
      () => scene.proxy.breakAll(),
    ]
    let booksSinceBegin = 0
    const stream = client.stream({ selectors: [{ market }], options: { mode: 'delta' } })
    const events = await readUntil(stream, async (event) => {
      keeper.apply(event)
      if (event.type === 'delta' && keeper.get(market)?.isTrusted !== true) untrusted.push(event.seq)
      if (event.type === 'disconnected') expect(keeper.get(market)?.doubt).toBe('disconnected')
      if (event.type === 'reconnected') booksSinceBegin = 0
      if (event.type !== 'delta' || ++booksSinceBegin !== 4) return false
      const failure = failures.shift()
      await failure?.()
      return failure === undefined
    })
    expect(events.filter(({ type }) => type === 'disconnected')).toHaveLength(4)
    expect(events.filter(({ type }) => type === 'reconnected')).toHaveLength(4)
    expectComplete(events)
    expect(untrusted).toEqual([])
    const { seq = 0, frame, up } = keeper.get(market) ?? {}
    const at = { marketId: market, timestamp: frame?.captured_at ?? 0, includebook: true, side: 'UP' } as const
    const stored = await untilStored(() => client.snapshots.get(at), seq)
    expect(up?.bids).toEqual(stored.bids)
    expect(up?.asks).toEqual(stored.asks)
  })

  test('a slow reader gets the newest book after a skipped event', async () => {
    const client = await scene.client()
    const stream = client.stream({ selectors: [{ market }], options: { mode: 'delta' } }, { bufferSize: 2 })
    const keeper = new BookKeeper()
    let hasPaused = false
    const events = await readUntil(stream, async (event, all) => {
      keeper.apply(event)
      if (!hasPaused && event.type === 'delta') {
        hasPaused = true
        await new Promise((resolve) => setTimeout(resolve, 2_500))
      }
      const skippedAt = all.findIndex(({ type }) => type === 'skipped')
      // A busy machine may skip again.
      return skippedAt !== -1 && all.length > skippedAt + 3 && keeper.get(market)?.isTrusted === true
    })
    const at = events.findIndex(({ type }) => type === 'skipped')
    const [skipped, next] = [events[at], events[at + 1]]
    expect(skipped).toMatchObject({ type: 'skipped', channel: 'book', market })
    expect(next).toMatchObject({ type: 'snapshot', market })
    expect((next as BookFrame).seq).toBeGreaterThan((skipped as SkippedFrame).to_seq)
    expect(keeper.get(market)?.isTrusted).toBe(true)
  })

  test('ends by close, by a signal and by leaving the loop', async () => {
    const client = await scene.client()
    const stop = new AbortController()
    const byClose = client.stream({ selectors: [{ market }] })
    const bySignal = client.stream({ selectors: [{ market }] }, { signal: stop.signal })
    await readUntil(byClose, (event) => event.type === 'snapshot' && byClose.close())
    await readUntil(bySignal, (event) => event.type === 'snapshot' && stop.abort())
    await readUntil(client.stream({ selectors: [{ market }] }), ({ type }) => type === 'snapshot')
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

async function untilStored<Row extends { sequence_number: number }>(
  fetchRow: () => Promise<Row>,
  seq: number,
): Promise<Row> {
  for (let tries = 0; ; tries++) {
    const row = await fetchRow().catch(() => undefined)
    if (row?.sequence_number === seq) return row
    if (tries > 300) throw new Error(`slot ${seq} is not stored; ${row?.sequence_number} is`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

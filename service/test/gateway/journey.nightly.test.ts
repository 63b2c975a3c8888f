// Nightly: a recorder runs in real time.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { TestService } from '@bookreel/testbed/service/test-service'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openGateway } from '../../src/wiring/open-gateway.ts'
import { type AnyFrame, StreamClient } from './stream-client.ts'

let service: TestService
let server: Server
let url: string
const stop = new AbortController()
let running: Promise<void>

beforeAll(async () => {
  service = await TestService.start({ record: { size: { hot: 4, medium: 4, cold: 4 } } })
  const { config, access, stores } = service
  const { gateway, run } = openGateway({ config, access, stores, registry: new Registry(), onTrouble: () => {} })
  server = createServer().on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/stream`
  running = run(stop.signal)
})
afterAll(async () => {
  stop.abort()
  await running
  server?.close()
  await service?.[Symbol.asyncDispose]()
})

/** Returns the function that stops it. */
async function cause(fault: object): Promise<() => Promise<unknown>> {
  const faults = `${service.simulator.addresses.admin}/faults`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(faults, { method: 'POST', body: JSON.stringify(fault), headers })
  const { id } = JSON.parse(await answer.text())
  return () => fetch(`${faults}/${id}`, { method: 'DELETE' })
}

test('the stream of a recorded market announces every gap, and its replay is identical', async () => {
  const key = await service.keyOf('enterprise')
  const live = await StreamClient.open(url, key)
  const market = service.stores.catalogue
    .list({ category: 'crypto', coin: 'BTC', statuses: ['live'] }, Date.now())
    .at(-1)
  if (market === undefined) throw new Error('no market of Bitcoin is open')
  const selectors = [{ market: market.id }, { symbol: 'BTC' }]
  const perp = 'hyperliquid_perp:BTC'
  await live.ask({ op: 'subscribe', selectors, channels: ['book', 'bbo'] })
  const count = (name: string): number => live.of('book', name).filter(({ seq }) => seq !== undefined).length
  const untilMore = (more: number, name = market.id) => {
    const before = count(name)
    return vi.waitUntil(() => count(name) >= before + more, { timeout: 120_000, interval: 50 })
  }
  await untilMore(8)
  // For several slots, because a client that reconnects at once has missed nothing.
  const openAgain = await cause({ name: 'refuse-upgrade', target: { feed: 'polymarket' } })
  await cause({ name: 'disconnect', target: { feed: 'polymarket' } })
  await sleep(1_000)
  await openAgain()
  await live.until(({ type }) => type === 'gap')
  await untilMore(4)
  // The bus is killed and restarted for all processes.
  await service.stack.engine('nats').kill()
  await service.stack.engine('nats').restart()
  await untilMore(12)
  await untilMore(4, perp)
  await live.ask({ op: 'unsubscribe' })

  for (const name of [market.id, perp]) {
    const frames = live.of('book', name)
    expect(frames.filter(({ type, cause: why }) => type === 'gap' && why === null)).toEqual([])
    expect(unaccounted(frames)).toEqual([])
  }
  const [first, last] = spanOf(live.of('book', market.id))
  const [firstPerp, lastPerp] = spanOf(live.of('book', perp))
  await untilStored(market.id, last)
  await untilPerpStored(lastPerp)
  const replayed = async (selector: object, from: number, to: number): Promise<StreamClient> => {
    const past = await StreamClient.open(url, key)
    await past.ask({ op: 'replay', selectors: [selector], channels: ['book', 'bbo'], from, to, speed: 'max' })
    expect((await past.until(({ type }) => type === 'replay_ended')).reason).toBe('complete')
    past.expectOnlyFrames()
    await past.close()
    return past
  }
  const interval = market.captureIntervalMs
  const past = await replayed({ market: market.id }, first * interval, last * interval + 1)
  const pastPerp = await replayed({ symbol: 'BTC' }, firstPerp * 500, lastPerp * 500 + 1)
  for (const channel of ['book', 'bbo']) {
    expect(unsent(past.of(channel))).toEqual(unsent(live.of(channel, market.id)))
    expect(unsent(pastPerp.of(channel))).toEqual(unsent(live.of(channel, perp)))
  }
  live.expectOnlyFrames()
  await live.close()
}, 360_000)

async function untilStored(marketId: string, slot: number): Promise<void> {
  const isStored = async (): Promise<boolean> =>
    (await service.stores.marketDays.days(marketId)).some(({ lastSlot }) => lastSlot >= slot)
  await vi.waitUntil(isStored, { timeout: 120_000, interval: 100 })
}

async function untilPerpStored(slot: number): Promise<void> {
  const range = { venue: 'hyperliquid', symbol: 'BTC', intervalMs: 500, fromSlot: slot, toSlot: slot }
  await vi.waitUntil(async () => (await service.stores.perps.count(range)) === 1, { timeout: 120_000, interval: 100 })
}

function spanOf(frames: readonly AnyFrame[]): [number, number] {
  const seqs = frames.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  return [seqs[0], seqs.at(-1)]
}

/** Slots between the first and the last that have neither a frame nor a gap. */
function unaccounted(frames: readonly AnyFrame[]): number[] {
  const known = new Set<number>()
  for (const { seq, type, kind, from_seq: from, to_seq: to } of frames) {
    if (seq !== undefined) known.add(seq)
    if (type === 'gap' && kind === 'missing') for (let slot = from; slot <= to; slot++) known.add(slot)
  }
  const [first, last] = spanOf(frames)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((slot) => !known.has(slot))
}

function unsent(frames: readonly AnyFrame[]): AnyFrame[] {
  return frames.map(({ sent_at: _sent, ...frame }) => frame)
}

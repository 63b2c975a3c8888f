import { OfflineWorld, WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { describe, expect, test } from 'vitest'
import { PriceBoard } from '../../src/capture/price-board.ts'
import { Recording } from '../../src/capture/recording.ts'
import { inputIn } from '../../src/capture/recording-input.ts'
import type { TickRows } from '../../src/capture/tick-rows.ts'
import type { RawRecord } from '../../src/domain/raw-record.ts'
import { shardsOf } from '../../src/domain/shards.ts'
import { ReplayedRecorder } from '../../src/rebuild/replayed-recorder.ts'
import { decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import type { BookEvent } from '../../src/venues/venue.ts'
import { marketFacts } from '../venues/world-truth.ts'

const TICK_MS = 250
const NOWHERE = 'http://127.0.0.1:9'
const CHECKPOINT_EVERY_MS = 5_000
const UNTIL_MS = WORLD_START_MS + 240_000
const shardOf = (marketId: string): string => `polymarket.${Number.parseInt(marketId.slice(-1), 16) % 2}`

/** What a recorder publishes, in order and as text, so that any difference shows. */
type Published = { tickMs: number; text: string; atMs?: number }[]

function publishedText(shard: string, { snapshots, gaps, trades }: TickRows): string {
  const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted()
  return JSON.stringify({ shard, snapshots: sorted(snapshots), gaps: sorted(gaps), trades: sorted(trades) })
}

/**
 * A recorder of a simulated world with everything that happens to one: late and lost frames, sockets that end, markets
 * that move, comparisons with REST, leases that are lost and taken again.
 */
function recordWorld(): { records: RawRecord[]; published: Published } {
  const venue = polymarket({ gammaUrl: NOWHERE, clobUrl: NOWHERE, socketUrl: NOWHERE })
  const records: RawRecord[] = []
  const published: Published = []
  let nowMs = WORLD_START_MS
  let sent = 0
  const raw = { append: (record: RawRecord): void => void records.push(record) }
  const recording = new Recording({
    venue,
    prices: new PriceBoard(() => nowMs),
    shardOf,
    raw,
    checkpointEveryMs: CHECKPOINT_EVERY_MS,
    publish: (shard, tickMs, rows) => published.push({ tickMs, text: publishedText(shard, rows), atMs: nowMs }),
    onResolved: ({ marketId }) => recording.apply({ kind: 'removed', atMs: nowMs, marketId }),
    onProblem: () => {},
    onDoubt: () => {},
  })
  const frame = (text: string, socket: number): void => {
    raw.append({ kind: 'frame', atMs: nowMs, venue: venue.id, stream: String(socket), body: text })
    recording.frame(text, nowMs, socket)
  }
  const socketsOf = new Map<string, Set<number>>()
  const { world, ...offline } = offlineWorld(({ market, frames, atMs }) => {
    nowMs = atMs
    for (const text of frames) {
      // Every 150th frame is lost on one socket.
      const isLost = ++sent % 150 === 0
      for (const socket of socketsOf.get(market.conditionId) ?? []) if (!isLost || socket > 9) frame(text, socket)
    }
  })
  const follow = (market: WorldMarket): void => {
    socketsOf.set(market.conditionId, new Set([1]))
    recording.apply({ kind: 'listed', atMs: nowMs, market: marketFacts(market) })
    recording.apply({
      kind: 'routed',
      atMs: nowMs,
      change: { kind: 'assigned', marketId: market.conditionId, socket: 1 },
    })
    frame(offline.firstFrame(market), 1)
  }
  const restBooks = (market: WorldMarket): BookEvent[] =>
    decodeFrame(offline.firstFrame(market)).events.filter((event): event is BookEvent => event.kind === 'book')

  for (const shard of shardsOf('polymarket', 2)) recording.hold(shard, 1, undefined, nowMs)
  for (let tickMs = WORLD_START_MS + TICK_MS; tickMs <= UNTIL_MS; tickMs += TICK_MS) {
    world.advance(tickMs)
    nowMs = tickMs
    for (const market of world.markets.values()) if (!socketsOf.has(market.conditionId)) follow(market)
    const followed = [...world.markets.values()].filter(({ conditionId }) => recording.markets.has(conditionId))
    const second = (tickMs - WORLD_START_MS) / 1_000
    const some = followed[Math.floor(second) % followed.length]
    if (some !== undefined && second % 7 === 0) {
      const marketId = some.conditionId
      socketsOf.get(marketId)?.add(10 + second)
      recording.apply({ kind: 'routed', atMs: nowMs, change: { kind: 'moving', marketId, socket: 10 + second } })
      frame(offline.firstFrame(some), 10 + second)
    }
    if (some !== undefined && second % 31 === 0) {
      const doubt = { cause: 'disconnected', detail: 'closed with 1006' } as const
      recording.apply({ kind: 'lost', atMs: nowMs, marketIds: [some.conditionId], doubt, lastDataAtMs: nowMs - 40 })
    }
    for (const market of followed) {
      const held = recording.markets.get(market.conditionId)
      if (held?.book.proved === undefined ? second % 3 === 0 : held.book.isToBeCompared(nowMs))
        recording.apply({ kind: 'compared', atMs: nowMs, marketId: market.conditionId, books: restBooks(market) })
      else if (second % 20 === 0) recording.apply({ kind: 'confirmed', atMs: nowMs, marketId: market.conditionId })
    }
    if (second === 130) recording.apply({ kind: 'shard_left', atMs: nowMs, shard: 'polymarket.0' })
    if (second === 140) {
      const inherited = new Map(followed.map(({ conditionId }) => [conditionId, nowMs - 10_000] as const))
      recording.hold('polymarket.0', 2, { inherited, notBeforeMs: 0, wrongTime: undefined }, nowMs)
    }
    recording.apply({ kind: 'moves_settled', atMs: nowMs })
    recording.apply({ kind: 'tick', atMs: nowMs + 3.25, tickMs, intervalsMs: [TICK_MS] })
  }
  return { records, published }
}

function offlineWorld(onEvent: ConstructorParameters<typeof OfflineWorld>[1]) {
  const offline = new OfflineWorld(
    { startMs: WORLD_START_MS, seed: 'repeat', size: { hot: 1, medium: 1, cold: 4 } },
    onEvent,
  )
  return { world: offline.world, firstFrame: (market: WorldMarket) => offline.firstFrame(market) }
}

function replay(records: readonly RawRecord[]): Published {
  const published: Published = []
  const venue = polymarket({ gammaUrl: NOWHERE, clobUrl: NOWHERE, socketUrl: NOWHERE })
  const recorder = new ReplayedRecorder(
    { venues: [venue], priceVenues: [] },
    (_venue, marketId) => shardOf(marketId),
    (shard, _epoch, tickMs, rows) => published.push({ tickMs, text: publishedText(shard, rows) }),
  )
  for (const record of records) recorder.take(record)
  return published
}

/** The order of shards and markets within a tick means nothing. */
function firstDifference(one: Published, other: Published): number {
  const inOrder = (published: Published): string[] =>
    published.map(({ tickMs, text }) => `${tickMs} ${text}`).toSorted()
  const others = inOrder(other)
  return inOrder(one).findIndex((text, index) => text !== others[index])
}

describe('the records of a recorder', () => {
  const { records, published } = recordWorld()

  test('the recorded world has what rows can depend on', () => {
    for (const cause of ['disconnected', 'hash_mismatch', 'capturer_down'])
      expect(
        published.some(({ text }) => text.includes(cause)),
        cause,
      ).toBe(true)
    expect(new Set(records.map(({ kind }) => kind))).toContain('checkpoint')
  })

  test('give the same rows, gaps and trades again', () => {
    const again = replay(records)
    expect(again.length).toBe(published.length)
    expect(firstDifference(again, published)).toBe(-1)
  })

  test('have checkpoints from which every part of a book is restored', () => {
    const venue = polymarket({ gammaUrl: NOWHERE, clobUrl: NOWHERE, socketUrl: NOWHERE })
    const texts = records.flatMap((record) => {
      const input = inputIn(record)
      if (input?.kind !== 'checkpoint') return []
      const book = venue.openBook(input.market)
      book.restore(input.follower.followed.book)
      const text = JSON.stringify(input.follower.followed.book)
      expect(JSON.stringify(book.checkpoint()) === text).toBe(true)
      return [text]
    })
    for (const seen of ['"failingSinceMs"', '"doubt"', '"announced":[{', '"changes":[{'])
      expect(
        texts.some((text) => text.includes(seen)),
        seen,
      ).toBe(true)
  })

  // Checkpoints meet the books in every state, also in doubt and on the move.
  test('give the same from any time on, after one round of checkpoints', () => {
    for (let fromMs = WORLD_START_MS + 7_300; fromMs < UNTIL_MS - 30_000; fromMs += 5_900) {
      // A shard that is taken over has up to ten seconds of retained samples.
      const [sureFromMs, toMs] = [fromMs + 1.5 * CHECKPOINT_EVERY_MS + 10_000, fromMs + 30_000]
      const isSure = ({ tickMs }: { tickMs: number }): boolean => tickMs >= sureFromMs && tickMs < toMs
      const again = replay(records.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)).filter(isSure)
      // Retained rows are published later than their tick.
      const wanted = published.filter((each) => isSure(each) && (each.atMs ?? 0) < toMs)
      expect(again.length).toBe(wanted.length)
      expect(firstDifference(again, wanted)).toBe(-1)
    }
  })
})

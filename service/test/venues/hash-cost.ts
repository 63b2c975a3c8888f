import { OfflineWorld, WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import { decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import type { VenueEvent } from '../../src/venues/venue.ts'
import { marketFacts } from './world-truth.ts'

export interface HashCost {
  frames: number
  hashes: number
  levels: number
  decodeMicrosPerFrame: number
  proveMicrosPerFrame: number
  hashMicros: number
}

/** Measures the CPU cost of following busy markets, without the cost of simulating them. */
export function measureHashCost(seconds: number): HashCost {
  const received: { id: string; text: string; atMs: number }[] = []
  const world = new OfflineWorld({ size: { hot: 6, medium: 6, cold: 0 } }, ({ market, frames, atMs }) => {
    for (const text of frames) received.push({ id: market.conditionId, text, atMs })
  })
  const books = new Map<string, ProvedBook>()
  for (const market of world.world.markets.values()) {
    if (market.phase !== 'trading') continue
    books.set(market.conditionId, new ProvedBook(marketFacts(market)))
    received.push({ id: market.conditionId, text: world.firstFrame(market), atMs: WORLD_START_MS })
  }
  world.world.advance(WORLD_START_MS + seconds * 1_000)

  const decodeStartMs = cpuMs()
  const decoded = received.map(({ text }) => decodeFrame(text).events)
  const decodeMs = cpuMs() - decodeStartMs
  const proveStartMs = cpuMs()
  for (const [index, events] of decoded.entries()) {
    const { id = '', atMs = 0 } = received[index] ?? {}
    const book = books.get(id)
    for (const event of events) if (isForBook(event)) book?.take(event, atMs)
  }
  const proveMs = cpuMs() - proveStartMs
  // One hash per token of each change, and one per book; trades need a few more.
  const kinds = decoded.flat().map(({ kind }) => kind)
  const hashes = kinds.filter((kind) => kind === 'change').length * 2 + kinds.filter((kind) => kind === 'book').length
  const depths = [...books.values()].flatMap(({ proved }) =>
    proved ? [proved.up.bids.length + proved.up.asks.length] : [],
  )
  return {
    frames: received.length,
    hashes,
    levels: depths.reduce((sum, depth) => sum + depth, 0) / depths.length,
    decodeMicrosPerFrame: (decodeMs * 1_000) / received.length,
    proveMicrosPerFrame: (proveMs * 1_000) / received.length,
    hashMicros: (proveMs * 1_000) / hashes,
  }
}

/** CPU time of this process, so that others on the machine don't count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function isForBook(event: VenueEvent): event is Parameters<ProvedBook['take']>[0] {
  return event.kind !== 'resolved' && event.kind !== 'created'
}

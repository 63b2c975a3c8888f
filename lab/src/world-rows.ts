import { type Ladders, type Level, mirrorOf } from '@bookreel/service/domain/book'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import type { Activity, Market } from '@bookreel/simulator/world/market'
import { World } from '@bookreel/simulator/world/world'

export interface WorldRow {
  activity: Activity
  snapshot: Snapshot
  bytes: Buffer
}

const INTERVAL_MS = 250
const START_MS = Date.UTC(2026, 10, 14, 12)
/** The simulator counts 0.01 shares. */
const UNITS_PER_SIZE = 10_000
const PROVED = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown | SNAPSHOT_FLAGS.mirrored

/** What a sampler would make of a simulated world: for every tick a row of each market that trades. */
export function* worldTicks(size: Record<Activity, number>, tickCount: number): Generator<WorldRow[]> {
  const changes = new Map<Market, number>()
  const world = new World({ seed: 'store', startMs: START_MS, size }, (happening) => {
    if (happening.kind === 'batch') changes.set(happening.market, (changes.get(happening.market) ?? 0) + 1)
  })
  const writer = new RowWriter()
  for (let tick = 1; tick <= tickCount; tick++) {
    const atMs = START_MS + tick * INTERVAL_MS
    world.advance(atMs)
    const trading = [...world.markets.values()].filter(({ phase }) => phase === 'trading')
    yield trading.map((market) => {
      const coin = market.draft.window?.coin
      const spotUsd = coin && world.spot.priceAt(coin, atMs)
      const snapshot = { ...snapshotOf(market, atMs, changes.get(market) ?? 0), ...spotFields(spotUsd, atMs) }
      writeSnapshot(writer, snapshot)
      return { activity: market.activity, snapshot, bytes: writer.take() }
    })
    changes.clear()
  }
}

function snapshotOf(market: Market, atMs: number, changeCount: number): Snapshot {
  const up: Ladders = { bids: levelsOf(market.book.bids).reverse(), asks: levelsOf(market.book.asks) }
  return {
    marketId: market.conditionId,
    slot: atMs / INTERVAL_MS,
    intervalMs: INTERVAL_MS,
    capturedAtMs: atMs + ((market.order + atMs / INTERVAL_MS) % 7),
    eventAtMs: market.changedAtMs,
    receivedAtMs: market.changedAtMs + 15 + (market.changedAtMs % 23),
    flags: PROVED,
    spotPrice: 0,
    spotAgeMs: 0,
    changes: changeCount,
    up,
    down: mirrorOf(up),
  }
}

function spotFields(spotUsd: number | undefined, atMs: number): Partial<Snapshot> {
  if (spotUsd === undefined) return {}
  return { flags: PROVED | SNAPSHOT_FLAGS.hasSpot, spotPrice: Math.round(spotUsd * 100) * 1e6, spotAgeMs: atMs % 311 }
}

function levelsOf(levels: readonly Level[]): Level[] {
  return levels.map(({ price, size }) => ({ price, size: size * UNITS_PER_SIZE }))
}

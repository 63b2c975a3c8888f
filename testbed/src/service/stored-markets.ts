import { createHash } from 'node:crypto'
import { type Ladders, mirrorOf } from '@bookreel/service/domain/book'
import type { Market, Resolution } from '@bookreel/service/domain/market'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema } from '@bookreel/service/domain/rows/row-table'
import { type SettlementPrice, writeSettlementPrice } from '@bookreel/service/domain/rows/settlement-price'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { marketFactStore } from '@bookreel/service/stores/markets/market-facts'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import { WORLD_NOW_MS } from '../world/world-times.ts'
import type { TestService } from './test-service.ts'

type Stored = Pick<TestService, 'stores' | 'config' | 'nowMs'>

/** A market that is not part of a simulated world, so that the test decides when it ends. */
export function madeMarket(name: string, changed: Partial<Market> = {}): Market {
  const id = `0x${createHash('sha256').update(name).digest('hex')}`
  return {
    id,
    venue: 'polymarket',
    category: 'crypto',
    subcategory: 'BNB',
    timeframe: 'hit-price',
    tokenIds: [`1${BigInt(id)}`, `2${BigInt(id)}`],
    outcomeNames: ['Yes', 'No'],
    slug: `made-${name}`,
    question: `What of ${name}?`,
    label: `Label ${name}`,
    eventSlug: `event-${name}`,
    eventTitle: `Event ${name}`,
    venueKey: '',
    priceGrid: [],
    facts: { negRisk: false, minOrderSize: '5', version: 'v1' },
    startsAtMs: WORLD_NOW_MS - 3_600_000,
    endsAtMs: WORLD_NOW_MS + 86_400_000,
    planId: 'crypto',
    captureIntervalMs: 250,
    ...changed,
  }
}

/** Saves markets in PostgreSQL and refreshes the catalogue. */
export async function list(
  { stores, nowMs }: Stored,
  markets: readonly Market[],
  resolutions: readonly Resolution[] = [],
) {
  await stores.markets.saveListings(markets.map((market) => ({ market, seenAtMs: nowMs() })))
  await stores.markets.saveResolutions(resolutions)
  await stores.catalogue.refresh(nowMs())
}

export interface MadeRow {
  readonly atMs: number
  readonly up?: Ladders
  /** Set when the book of DOWN is not the mirror of UP. */
  readonly down?: Ladders
  readonly flags?: number
  readonly spotUsd?: number
}

export const CALM: Ladders = {
  bids: [
    { price: 4_800, size: 100_000_000 },
    { price: 4_700, size: 50_500_000 },
  ],
  asks: [{ price: 5_100, size: 70_000_000 }],
}

export function madeRow(market: Market, { atMs, up = CALM, down, flags = 0, spotUsd }: MadeRow): Snapshot {
  const intervalMs = market.captureIntervalMs
  const slot = Math.floor(atMs / intervalMs)
  const mirrored = down === undefined ? SNAPSHOT_FLAGS.mirrored : 0
  return {
    marketId: market.id,
    slot,
    intervalMs,
    capturedAtMs: slot * intervalMs + 2,
    eventAtMs: slot * intervalMs - 40,
    receivedAtMs: slot * intervalMs - 10,
    flags: flags | mirrored | (spotUsd === undefined ? 0 : SNAPSHOT_FLAGS.hasSpot),
    spotPrice: Math.round((spotUsd ?? 0) * 100_000_000),
    spotAgeMs: 0,
    changes: 1,
    up,
    down: down ?? mirrorOf(up),
  }
}

function bytesOf(snapshot: Snapshot): Buffer {
  const writer = new RowWriter()
  writeSnapshot(writer, snapshot)
  return writer.take()
}

/** Inserts rows into ClickHouse as the recorder's user; the user of the API is read-only. */
export async function archive({ config }: Stored, snapshots: readonly Snapshot[]): Promise<void> {
  const client = openClickHouse(config)
  await rowInserter(client).insertRaw('snapshots', currentSchema('snapshots'), snapshots.map(bytesOf))
  await client.close()
}

/** Stops merges, so that ClickHouse keeps duplicate rows. */
export async function stopMerges({ config }: Stored): Promise<void> {
  const client = openClickHouse(config)
  await client.command({ query: 'SYSTEM STOP MERGES snapshots' })
  await client.close()
}

/** Puts the newest rows into Redis. */
export async function putInRedis({ stores }: Stored, snapshots: readonly Snapshot[]): Promise<void> {
  await stores.newestRows.put(
    snapshots.map((snapshot) => ({
      marketId: snapshot.marketId,
      slot: snapshot.slot,
      schema: currentSchema('snapshots'),
      bytes: bytesOf(snapshot),
    })),
  )
}

/** Saves market facts in ClickHouse. */
export async function storeFacts({ config, nowMs }: Stored, markets: readonly Market[]): Promise<void> {
  const client = openClickHouse(config)
  await marketFactStore(client).put(markets.map((market) => ({ market, publishedAtMs: nowMs() })))
  await client.close()
}

/** Saves the prices that windows start and end with. */
export async function storeSettlements({ config }: Stored, prices: readonly SettlementPrice[]): Promise<void> {
  const client = openClickHouse(config)
  const rows = prices.map((price) => {
    const writer = new RowWriter()
    writeSettlementPrice(writer, price)
    return writer.take()
  })
  await rowInserter(client).insertRaw('settlement_prices', currentSchema('settlement_prices'), rows)
  await client.close()
}

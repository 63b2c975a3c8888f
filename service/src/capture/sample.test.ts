import { expect, test } from 'vitest'
import { type Ladders, mirrorOf } from '../domain/book.ts'
import type { Market } from '../domain/market.ts'
import { SNAPSHOT_FLAGS } from '../domain/rows/snapshot.ts'
import type { ProvedState } from '../venues/venue.ts'
import { sample } from './sample.ts'

const market: Market = {
  id: `0x${'a'.repeat(64)}`,
  venue: 'polymarket',
  tokenIds: ['1', '2'],
  outcomeNames: ['Up', 'Down'],
  slug: 's',
  question: 'q',
  label: 'l',
  eventSlug: 's',
  eventTitle: 't',
  category: 'crypto',
  subcategory: 'BTC',
  timeframe: '5m',
  venueKey: '',
  priceGrid: [],
  facts: { negRisk: false, minOrderSize: '5', version: 'v1' },
  endsAtMs: 1_000,
  planId: 'crypto',
  captureIntervalMs: 250,
}

const up: Ladders = { bids: [{ price: 4_000, size: 1 }], asks: [{ price: 4_200, size: 2 }] }

function state(changed: Partial<ProvedState> = {}): ProvedState {
  return {
    up,
    down: mirrorOf(up),
    isUpVerified: true,
    isDownVerified: true,
    eventAtMs: 900,
    receivedAtMs: 950,
    ...changed,
  }
}

const moment = { slot: 4, capturedAtMs: 1_003, changes: 7 }
const { verifiedUp, verifiedDown, mirrored, oneSided, crossed, hasSpot, chainlinkSpot } = SNAPSHOT_FLAGS

test('a row keeps event, receipt and capture time apart', () => {
  expect(sample(market, state(), moment)).toMatchObject({
    marketId: market.id,
    slot: 4,
    intervalMs: 250,
    capturedAtMs: 1_003,
    eventAtMs: 900,
    receivedAtMs: 950,
    changes: 7,
    flags: verifiedUp | verifiedDown | mirrored,
  })
})

test('mirrored is found by comparing the books, not assumed', () => {
  const down = { bids: [{ price: 5_800, size: 2 }], asks: [{ price: 6_000, size: 9 }] }
  expect(sample(market, state({ down }), moment).flags & mirrored).toBe(0)
})

test('an empty side, crossed prices and a missing proof set flags', () => {
  expect(
    sample(market, state({ up: { bids: [], asks: [] }, down: { bids: [], asks: [] } }), moment).flags & oneSided,
  ).toBe(oneSided)
  const touching = { bids: [{ price: 4_200, size: 1 }], asks: [{ price: 4_200, size: 2 }] }
  expect(sample(market, state({ up: touching, down: mirrorOf(touching) }), moment).flags & crossed).toBe(crossed)
  expect(sample(market, state({ isDownVerified: false }), moment).flags & (verifiedUp | verifiedDown)).toBe(verifiedUp)
})

test('the spot price is stored with its age, or not at all', () => {
  const row = sample(market, state(), { ...moment, spot: { source: 'binance', price: 8_400_000_000_000, atMs: 903.4 } })
  expect([row.spotPrice, row.spotAgeMs, row.flags & hasSpot]).toEqual([8_400_000_000_000, 100, hasSpot])
  expect(row.flags & chainlinkSpot).toBe(0)
  const other = sample(market, state(), { ...moment, spot: { source: 'chainlink', price: 1, atMs: 903 } })
  expect([other.flags & hasSpot, other.flags & chainlinkSpot]).toEqual([hasSpot, chainlinkSpot])
  const without = sample(market, state(), moment)
  expect([without.spotPrice, without.spotAgeMs, without.flags & hasSpot]).toEqual([0, 0, 0])
})

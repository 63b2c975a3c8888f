import { archive, list, madeMarket, madeRow, storeFacts } from '@bookreel/testbed/service/stored-markets'
import type { TestService } from '@bookreel/testbed/service/test-service'
import type { Gap } from '../../../src/domain/rows/gap.ts'
import { type Trade, writeTrade } from '../../../src/domain/rows/trade.ts'
import { archiveGaps, insert } from '../../http/snapshots-scene.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const INTERVAL_MS = 250
const OLD_ROWS = 10
/** Every second slot has a row, every other one a gap. */
export const HOLEY_SLOTS = 120
export const HOLEY_TRADES = 7

/** A closed market with texts that a spreadsheet would run, many gaps, trades, and rows that the free tier excludes. */
export async function storeHoleyMarket(service: TestService, nowMs: number): Promise<Record<string, string>> {
  // Within one hour, whenever the test runs.
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 2 * HOUR_MS
  const slot = (hourMs + MINUTE_MS) / INTERVAL_MS
  const oldSlot = Math.floor((nowMs - 30 * HOUR_MS) / INTERVAL_MS)
  const market = madeMarket('contract holey', {
    slug: 'contract-holey',
    subcategory: 'DOGE',
    question: '=HYPERLINK("https://evil.example","-2°C or below")',
    label: '-2°C or below',
    startsAtMs: (oldSlot - 1) * INTERVAL_MS,
    endsAtMs: (slot + HOLEY_SLOTS) * INTERVAL_MS,
  })
  const gap = (fromSlot: number, toSlot: number, cause: Gap['cause']): Gap => ({
    marketId: market.id,
    fromSlot,
    toSlot,
    knownAtSlot: fromSlot,
    cause,
    kind: 'missing',
    intervalMs: INTERVAL_MS,
    detail: `größer ${fromSlot}`,
  })
  const places = Array.from({ length: HOLEY_SLOTS }, (_, index) => index)
  const gaps = places
    .filter((index) => index % 2 === 1)
    .map((index) => gap(slot + index, slot + index, index % 3 === 0 ? 'venue_silent' : 'disconnected'))
  const rowSlots = [
    ...Array.from({ length: OLD_ROWS }, (_, index) => oldSlot + index),
    ...places.filter((index) => index % 2 === 0).map((index) => slot + index),
  ]
  const trades = Array.from({ length: HOLEY_TRADES }, (_, index): Trade => {
    const atMs = (slot + index) * INTERVAL_MS
    return {
      marketId: market.id,
      outcome: index % 2 === 0 ? 0 : 1,
      side: index % 3 === 0 ? 'BUY' : 'SELL',
      price: 4_900 + index,
      size: 5_000_000 + index,
      tradedAtMs: atMs,
      receivedAtMs: atMs + 20,
      transactionHash: `0x${index.toString(16).padStart(64, '0')}`,
      occurrence: 0,
    }
  })
  await list(service, [market], [{ marketId: market.id, winner: 0, resolvedAtMs: market.endsAtMs + 1_000 }])
  await storeFacts(service, [market])
  await archive(
    service,
    rowSlots.map((each) => madeRow(market, { atMs: each * INTERVAL_MS, spotUsd: 0.25 })),
  )
  await archiveGaps(service, [gap(oldSlot + OLD_ROWS, slot - 1, 'capturer_down'), ...gaps])
  await insert(service, 'trades', (writer) => {
    for (const trade of trades) writeTrade(writer, trade)
  })
  const instant = (at: number): string => new Date(at * INTERVAL_MS).toISOString()
  return {
    holey: market.id,
    'holey.slug': market.slug,
    'holey.first': instant(slot),
    'holey.end': instant(slot + HOLEY_SLOTS),
    'holey.hour': new Date(hourMs).toISOString(),
  }
}

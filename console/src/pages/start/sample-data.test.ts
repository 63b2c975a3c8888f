import type { HeatMap, Sample } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { sampleColumn, sampleMap } from './sample-data.ts'

const HOUR = '2026-11-18T10:00:00.000Z'
const COLUMN_MS = 4_000
const ROWS = 100
const SAMPLE = { hour: HOUR, gaps: [] } as unknown as Sample

/** Bids at 0.40 and 0.41 and an ask at 0.43 in the second column; nothing is stored in the others. */
function tile(): HeatMap {
  const bids = new Uint8Array(256 * ROWS)
  const asks = new Uint8Array(256 * ROWS)
  bids.set([8, 15], ROWS + 40)
  asks[ROWS + 43] = 1
  const only = (value: number) => Array.from({ length: 256 }, (_, index) => (index === 1 ? value : 0))
  return {
    market_id: '0x',
    venue: 'polymarket',
    side: 'UP',
    from: HOUR,
    column_ms: COLUMN_MS,
    columns: 256,
    price_from: 0,
    price_step: 0.01,
    rows: ROWS,
    scale: { kind: 'log2', unit: 0.01, steps_per_octave: 7 },
    bids: Buffer.from(bids).toString('base64'),
    asks: Buffer.from(asks).toString('base64'),
    best_bid: only(0.41),
    best_ask: only(0.43),
    stored: only(16),
    expected: Array.from({ length: 256 }, () => 16),
    suspect: only(1),
    is_final: true,
    revision: 1,
  }
}

test('a column has its best levels, with the sizes of the tile', () => {
  const map = sampleMap(SAMPLE, [tile()])
  if (map === undefined) throw new Error('there is a tile')
  expect(sampleColumn(map, map.fromMs + COLUMN_MS, 1)).toEqual({
    bids: [{ price: 0.41, size: 0.04 }],
    asks: [{ price: 0.43, size: 0.01 }],
    isSuspect: true,
  })
  expect(sampleColumn(map, map.fromMs + COLUMN_MS + 3_999, 2)?.bids).toEqual([
    { price: 0.41, size: 0.04 },
    { price: 0.4, size: 0.02 },
  ])
})

test('where nothing is stored there is no book, and a sample without tiles has no map', () => {
  const map = sampleMap(SAMPLE, [tile()])
  if (map === undefined) throw new Error('there is a tile')
  expect(sampleColumn(map, map.fromMs, 5)).toBeUndefined()
  expect(sampleColumn(map, map.toMs - 1, 5)).toBeUndefined()
  expect(sampleMap(SAMPLE, [])).toBeUndefined()
})

import type { HeatMap } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { renderHeatMap } from './heat-map.ts'

const COLUMNS = 256
const ROWS = 4

/** Sizes as codes by column and row. */
function tile(bids: Readonly<Record<string, number>>, expected: number, stored: (column: number) => number): HeatMap {
  const bytes = new Uint8Array(COLUMNS * ROWS)
  for (const [place, code] of Object.entries(bids)) {
    const [column = 0, row = 0] = place.split(',').map(Number)
    bytes[column * ROWS + row] = code
  }
  const numbers = Array.from({ length: COLUMNS }, (_, column) => column)
  return {
    market_id: '0x',
    venue: 'polymarket',
    side: 'UP',
    from: '2026-11-15T12:00:00.000Z',
    column_ms: 1_000,
    columns: COLUMNS,
    price_from: 0,
    price_step: 0.25,
    rows: ROWS,
    scale: { kind: 'log2', unit: 0.01, steps_per_octave: 7 },
    bids: Buffer.from(bytes).toString('base64'),
    asks: Buffer.from(new Uint8Array(COLUMNS * ROWS)).toString('base64'),
    best_bid: numbers.map(() => null),
    best_ask: numbers.map(() => null),
    stored: numbers.map(stored),
    expected: numbers.map((column) => (column < expected ? 4 : 0)),
    suspect: numbers.map(() => 0),
    is_final: true,
    revision: 1,
  }
}

test('sizes are shades by time and price; a time without a row is a dot', () => {
  const drawn = renderHeatMap(
    tile({ '0,1': 100, '1,2': 10, '3,1': 50 }, 4, (column) => (column === 2 ? 0 : 4)),
    { width: 20 + 7, height: 10 },
  )
  expect(drawn).toEqual(['0.500   ░· ', '0.250  █ ·▒', '       12:00:00 to 12:00:04 UTC'])
})

test('a wide tile is made to fit, and the largest size of each cell counts', () => {
  const drawn = renderHeatMap(
    tile({ '0,1': 100, '255,1': 100 }, COLUMNS, () => 4),
    { width: 16 + 7, height: 10 },
  )
  expect(drawn[0]).toBe(`0.250  █${' '.repeat(14)}█`)
})

test('without a terminal every column of the tile is drawn', () => {
  const drawn = renderHeatMap(
    tile({ '0,1': 100 }, COLUMNS, () => 4),
    { width: Number.POSITIVE_INFINITY, height: 10 },
  )
  expect(drawn[0]).toBe(`0.250  █${' '.repeat(COLUMNS - 1)}`)
})

test('a tile without rows draws nothing', () => {
  expect(
    renderHeatMap(
      tile({}, 0, () => 0),
      { width: 20 + 7, height: 10 },
    ),
  ).toEqual([])
})

import { expect, test } from 'vitest'
import type { HeatMapTile } from '../../domain/heat-map.ts'
import { FinalTiles } from './final-tiles.ts'

function tile(characters: number, isFinal = true): HeatMapTile {
  const none: number[] = []
  const lists = { bestBid: none, bestAsk: none, stored: none, expected: none, suspect: none }
  const grid = { rows: 1, priceFrom: 0, priceStep: 0.01 }
  return { ...grid, bids: 'x'.repeat(characters), asks: '', ...lists, isFinal }
}

test('tiles stay below the limit of memory, the least recently used go first', () => {
  const tiles = new FinalTiles()
  for (let index = 0; index < 100; index++) {
    tiles.keep(`tile ${index}`, tile(1_000_000))
    tiles.get('tile 0')
  }
  expect(tiles.byteCount).toBeLessThanOrEqual(64 * 1_024 * 1_024)
  expect(tiles.byteCount).toBeGreaterThan(60_000_000)
  expect([tiles.get('tile 0'), tiles.get('tile 99')].every((each) => each !== undefined)).toBe(true)
  expect(tiles.get('tile 1')).toBeUndefined()
})

test('a tile that may still change is not kept', () => {
  const tiles = new FinalTiles()
  tiles.keep('one', tile(10, false))
  expect(tiles.get('one')).toBeUndefined()
})

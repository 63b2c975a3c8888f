import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { colourColumns, colourTables, DARK, LIGHT } from './colours.ts'
import { autoContrast, histogramOf } from './contrast.ts'
import { HeatRing } from './heat-ring.ts'

const COLUMNS = 64
const ROWS = 20
const ALL = { from: 0, to: COLUMNS, low: 0, high: ROWS }

/** Sizes that grow with the price, one huge level, and a column without rows. */
function scene(): HeatRing {
  const ring = new HeatRing(COLUMNS, ROWS)
  for (let number = 0; number < COLUMNS; number++) {
    if (number === 30) continue
    const bids = Uint8Array.from({ length: ROWS }, (_, row) => (row < 10 ? 40 + row * 5 : 0))
    const asks = Uint8Array.from({ length: ROWS }, (_, row) => (row > 11 ? 30 + row * 3 : 0))
    if (number === 7) bids[2] = 250
    ring.join({ number, bids, asks, stored: 4, expected: 4, suspect: 0, bestBid: 0.5, bestAsk: 0.6 })
  }
  return ring
}

test('one huge level does not decide the contrast', () => {
  const { low, high } = autoContrast(histogramOf(scene(), ALL))
  expect(low).toBeGreaterThanOrEqual(40)
  expect(high).toBeLessThan(100)
  expect(autoContrast(new Uint32Array(256))).toEqual({ low: 1, high: 15 })
})

test('only sizes on the screen are counted', () => {
  const counts = histogramOf(scene(), { from: 0, to: 2, low: 0.4, high: 1.5 })
  expect([...counts.entries()].filter(([, count]) => count > 0)).toEqual([
    [40, 2],
    [45, 2],
  ])
})

test('larger sizes are never darker in the dark palette, nor lighter in the light one', () => {
  const brightness = (pixel: number): number => (pixel & 255) + ((pixel >> 8) & 255) + ((pixel >> 16) & 255)
  for (const [palette, sign] of [
    [DARK, 1],
    [LIGHT, -1],
  ] as const) {
    const { bid, ask } = colourTables(palette, { low: 20, high: 120 })
    for (const table of [bid, ask])
      for (let code = 21; code < 256; code++)
        expect(sign * (brightness(table[code] ?? 0) - brightness(table[code - 1] ?? 0))).toBeGreaterThanOrEqual(0)
  }
})

test('the image is the same on every machine, byte for byte', () => {
  const ring = scene()
  const contrast = autoContrast(histogramOf(ring, ALL))
  const hashes = [DARK, LIGHT].map((palette) => {
    const image = new Uint32Array(COLUMNS * ROWS)
    const tables = colourTables(palette, contrast)
    colourColumns(ring, ALL, tables, image)
    return createHash('sha256').update(new Uint8Array(image.buffer)).digest('hex').slice(0, 16)
  })
  expect(hashes).toEqual(['2d1788d1ca8dc089', '0801727fcc0fcb2d'])
})

test('columns that are coloured one by one or in parts are the same as all at once', () => {
  const ring = scene()
  const tables = colourTables(DARK, autoContrast(histogramOf(ring, ALL)))
  const imageOf = (parts: readonly number[]): Uint32Array => {
    const image = new Uint32Array(COLUMNS * ROWS)
    for (const [index, to] of parts.slice(1).entries())
      colourColumns(ring, { from: parts[index] ?? 0, to }, tables, image)
    return image
  }
  const whole = imageOf([0, COLUMNS])
  expect(imageOf(Array.from({ length: COLUMNS + 1 }, (_, place) => place))).toEqual(whole)
  expect(imageOf([0, 1, 17, 18, 50, COLUMNS])).toEqual(whole)
})

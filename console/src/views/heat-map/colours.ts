import type { Contrast } from './contrast.ts'
import type { HeatRing } from './heat-ring.ts'

type Rgb = readonly [red: number, green: number, blue: number]

/** Blue and orange can be told apart with every common form of colour blindness; brightness alone shows the size. */
export interface Palette {
  readonly background: Rgb
  readonly bid: readonly [faint: Rgb, strong: Rgb]
  readonly ask: readonly [faint: Rgb, strong: Rgb]
}

export const DARK: Palette = {
  background: [11, 14, 20],
  bid: [
    [17, 34, 64],
    [140, 200, 255],
  ],
  ask: [
    [56, 30, 12],
    [255, 190, 110],
  ],
}

export const LIGHT: Palette = {
  background: [255, 255, 255],
  bid: [
    [222, 235, 250],
    [8, 64, 140],
  ],
  ask: [
    [252, 232, 214],
    [156, 66, 0],
  ],
}

export interface ColourTables {
  readonly background: number
  readonly bid: Uint32Array
  readonly ask: Uint32Array
}

const CODES = 256

/** One colour for each code, so that a cell is a lookup. */
export function colourTables(palette: Palette, contrast: Contrast): ColourTables {
  return {
    background: pixelOf(palette.background),
    bid: tableOf(palette.background, palette.bid, contrast),
    ask: tableOf(palette.background, palette.ask, contrast),
  }
}

/** Pixels of 16 columns fill a line of the processor's cache, so they are written together, row by row. */
const TOGETHER = 16

/** Places of a ring; the end is not included. */
export interface Places {
  readonly from: number
  readonly to: number
}

/** Colours columns of an image that has the shape of the ring: its width the columns, its height the rows. */
export function colourColumns(ring: HeatRing, { from, to }: Places, tables: ColourTables, image: Uint32Array): void {
  const { rows, columns, bids, asks } = ring
  const { background } = tables
  for (let first = from; first < to; first += TOGETHER) {
    const end = Math.min(to, first + TOGETHER)
    for (let row = 0; row < rows; row++) {
      // The lowest price is at the bottom.
      const line = (rows - 1 - row) * columns
      for (let place = first; place < end; place++) {
        const bid = bids[place * rows + row] ?? 0
        const ask = asks[place * rows + row] ?? 0
        image[line + place] = (bid >= ask ? tables.bid[bid] : tables.ask[ask]) ?? background
      }
    }
  }
}

function tableOf(background: Rgb, [faint, strong]: Palette['bid'], { low, high }: Contrast): Uint32Array {
  return Uint32Array.from({ length: CODES }, (_, code) => {
    if (code < Math.max(1, low)) return pixelOf(background)
    return pixelOf(between(faint, strong, Math.min(1, (code - low) / Math.max(1, high - low))))
  })
}

function between(from: Rgb, to: Rgb, share: number): Rgb {
  const mix = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * share)
  return [mix(0), mix(1), mix(2)]
}

/** As `ImageData` has it in memory: red, green, blue, alpha. */
function pixelOf([red, green, blue]: Rgb): number {
  return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0] ?? 0
}

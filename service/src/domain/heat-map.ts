/** A tile is this many columns wide. */
export const TILE_COLUMNS = 256
/** A size is one byte: 0 for none, then seven steps for each doubling, from the unit on. */
export interface HeatScale {
  readonly kind: 'log2'
  readonly unit: number
  readonly steps_per_octave: number
}

export const MARKET_SCALE: HeatScale = { kind: 'log2', unit: 0.01, steps_per_octave: 7 }
/** Sizes are in coins: the smallest order of BTC is 0.00001. */
export const PERP_SCALE: HeatScale = { kind: 'log2', unit: 0.000_01, steps_per_octave: 7 }
const MAX_CODE = 255

/** Rounds to the nearest step, so a decoded size differs by at most 5.1 %; smaller sizes than the unit are 1. */
export function codeOfSize(size: number, { unit, steps_per_octave: steps }: HeatScale): number {
  if (size <= 0) return 0
  return Math.min(MAX_CODE, Math.max(1, 1 + Math.round(steps * Math.log2(size / unit))))
}

export function sizeOfCode(code: number, { unit, steps_per_octave: steps }: HeatScale): number {
  return code === 0 ? 0 : unit * 2 ** ((code - 1) / steps)
}

/** What a tile shows; the lists have one entry for each column. */
export interface HeatMapTile {
  readonly rows: number
  /** Price of the first row. */
  readonly priceFrom: number
  readonly priceStep: number
  /** Base64 of one byte for each column and row. */
  readonly bids: string
  readonly asks: string
  /** At the last row of the column; null without a row. */
  readonly bestBid: readonly (number | null)[]
  readonly bestAsk: readonly (number | null)[]
  readonly stored: readonly number[]
  readonly expected: readonly number[]
  readonly suspect: readonly number[]
  /** No slot of the tile may still get a row. */
  readonly isFinal: boolean
}

/** The largest size of a price step in a column of the tile. */
export interface HeatCell {
  readonly column: number
  readonly row: number
  readonly size: number
}

/** Column by column, each from the lowest price up. */
export function encodeCells(cells: Iterable<HeatCell>, rows: number, scale: HeatScale): Uint8Array {
  const bytes = new Uint8Array(TILE_COLUMNS * rows)
  for (const { column, row, size } of cells) {
    if (column < 0 || column >= TILE_COLUMNS || row < 0 || row >= rows) continue
    const place = column * rows + row
    bytes[place] = Math.max(bytes[place] ?? 0, codeOfSize(size, scale))
  }
  return bytes
}

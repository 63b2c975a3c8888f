import type { HeatMap, PerpHeatMap } from '@bookreel/sdk'

/** From none to the largest size of the tile. */
const SHADES = [' ', '░', '▒', '▓', '█'] as const
const MISSING = '·'
const BESIDE_LABEL = 2
const CLOCK = { start: 11, end: 19 }

/** Of a market or a perpetual future. */
export type Tile = Pick<HeatMap, keyof PerpHeatMap & keyof HeatMap>

export interface HeatMapSize {
  readonly width: number
  readonly height: number
}

/** Prices from high to low, times from left to right; a dot is a time without a row. */
export function renderHeatMap(tile: Tile, { width: wholeWidth, height }: HeatMapSize): string[] {
  const bids = new Uint8Array(Buffer.from(tile.bids, 'base64'))
  const asks = new Uint8Array(Buffer.from(tile.asks, 'base64'))
  const codeAt = (column: number, row: number): number =>
    Math.max(bids[column * tile.rows + row] ?? 0, asks[column * tile.rows + row] ?? 0)
  const columns = usedColumns(tile)
  const rows = usedRows(tile, codeAt)
  if (columns === undefined || rows === undefined) return []
  const priceText = (row: number): string => (tile.price_from + row * tile.price_step).toFixed(3)
  const labelWidth = priceText(rows.to).length
  const width = Math.max(1, wholeWidth - labelWidth - BESIDE_LABEL)
  const perCell = {
    // The width of a file is infinite.
    column: Math.max(1, Math.ceil((columns.to - columns.from) / width)),
    row: Math.max(1, Math.ceil((rows.to - rows.from) / height)),
  }
  const largest = [bids, asks].reduce((most, codes) => codes.reduce((one, other) => Math.max(one, other), most), 0)
  const lines: string[] = []
  for (let top = rows.to; top > rows.from; top -= perCell.row) {
    const bottom = Math.max(rows.from, top - perCell.row)
    let line = ''
    for (let left = columns.from; left < columns.to; left += perCell.column) {
      const right = Math.min(columns.to, left + perCell.column)
      line += cellOf({ left, right, bottom, top }, tile, codeAt, largest)
    }
    lines.push(`${priceText(bottom).padStart(labelWidth)}  ${line}`)
  }
  const clockOf = (column: number): string =>
    new Date(Date.parse(tile.from) + column * tile.column_ms).toISOString().slice(CLOCK.start, CLOCK.end)
  lines.push(`${' '.repeat(labelWidth + BESIDE_LABEL)}${clockOf(columns.from)} to ${clockOf(columns.to)} UTC`)
  return lines
}

interface Cell {
  readonly left: number
  readonly right: number
  readonly bottom: number
  readonly top: number
}

function cellOf(
  { left, right, bottom, top }: Cell,
  { stored }: Tile,
  codeAt: (column: number, row: number) => number,
  largest: number,
): string {
  let [code, rows] = [0, 0]
  for (let column = left; column < right; column++) {
    rows += stored[column] ?? 0
    for (let row = bottom; row < top; row++) code = Math.max(code, codeAt(column, row))
  }
  if (rows === 0) return MISSING
  return SHADES[code === 0 ? 0 : Math.max(1, Math.round((code / largest) * (SHADES.length - 1)))] ?? ' '
}

interface Span {
  readonly from: number
  readonly to: number
}

/** The recorded columns of the tile. */
function usedColumns({ expected }: Tile): Span | undefined {
  const from = expected.findIndex((slots) => slots > 0)
  return from === -1 ? undefined : { from, to: expected.findLastIndex((slots) => slots > 0) + 1 }
}

function usedRows({ columns, rows }: Tile, codeAt: (column: number, row: number) => number): Span | undefined {
  const isUsed = (row: number): boolean =>
    Array.from({ length: columns }, (_, column) => column).some((column) => codeAt(column, row) > 0)
  const numbers = Array.from({ length: rows }, (_, row) => row)
  const from = numbers.find(isUsed)
  return from === undefined ? undefined : { from, to: (numbers.findLast(isUsed) ?? from) + 1 }
}

import type { HeatMap } from '@bookreel/sdk'
import type { HeatColumn } from './heat-column.ts'

/** The columns of a tile of the service that are in the recorded range. */
export function* columnsOfTile(tile: HeatMap): Generator<HeatColumn> {
  const { rows, columns, column_ms: columnMs } = tile
  const first = Date.parse(tile.from) / columnMs
  const bids = bytesOf(tile.bids)
  const asks = bytesOf(tile.asks)
  for (let index = 0; index < columns; index++) {
    const expected = tile.expected[index] ?? 0
    if (expected === 0) continue
    yield {
      number: first + index,
      bids: bids.subarray(index * rows, (index + 1) * rows),
      asks: asks.subarray(index * rows, (index + 1) * rows),
      stored: tile.stored[index] ?? 0,
      expected,
      suspect: tile.suspect[index] ?? 0,
      bestBid: tile.best_bid[index] ?? Number.NaN,
      bestAsk: tile.best_ask[index] ?? Number.NaN,
    }
  }
}

/** A loop is ten times as fast as `Uint8Array.from`, and an hour has 700,000 bytes. */
function bytesOf(base64: string): Uint8Array {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

import { type HeatMapTile, TILE_COLUMNS } from '../../domain/heat-map.ts'

/** A tile whose columns before a time are empty, as if nothing had been recorded there. */
export function tileSince(tile: HeatMapTile, columnMs: number, tileFromMs: number, sinceMs: number): HeatMapTile {
  const hidden = Math.min(TILE_COLUMNS, Math.ceil((sinceMs - tileFromMs) / columnMs))
  if (hidden <= 0) return tile
  const emptied = <T>(list: readonly T[], nothing: T): T[] => [
    ...new Array<T>(hidden).fill(nothing),
    ...list.slice(hidden),
  ]
  return {
    ...tile,
    bids: withoutFirst(tile.bids, hidden * tile.rows),
    asks: withoutFirst(tile.asks, hidden * tile.rows),
    bestBid: emptied(tile.bestBid, null),
    bestAsk: emptied(tile.bestAsk, null),
    stored: emptied(tile.stored, 0),
    expected: emptied(tile.expected, 0),
    suspect: emptied(tile.suspect, 0),
  }
}

function withoutFirst(base64: string, bytes: number): string {
  return Buffer.from(base64, 'base64').fill(0, 0, bytes).toString('base64')
}

import { LRUCache } from 'lru-cache'
import type { HeatMapTile } from '../../domain/heat-map.ts'

/** Nearly a thousand tiles with 100 rows. */
const MOST_BYTES = 64 * 1_024 * 1_024
/** Of the lists and of the entry itself. */
const BYTES_BESIDE_CELLS = 16 * 1_024

/** Final tiles of heat maps in memory, the most recently used ones. A key contains the revision, so an entry never becomes wrong. */
export class FinalTiles {
  readonly #tiles = new LRUCache<string, HeatMapTile>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bids, asks }) => bids.length + asks.length + BYTES_BESIDE_CELLS,
  })

  get(key: string): HeatMapTile | undefined {
    return this.#tiles.get(key)
  }

  /** A tile that may still change is not kept. */
  keep(key: string, tile: HeatMapTile): void {
    if (tile.isFinal) this.#tiles.set(key, tile)
  }

  get byteCount(): number {
    return this.#tiles.calculatedSize
  }
}

import { SNAPSHOT_FLAGS, type Snapshot } from '../../domain/rows/snapshot.ts'

const SPOT_ONE = 100_000_000

/** In USD; undefined where the row has none. */
export function spotPriceOf({ flags, spotPrice }: Pick<Snapshot, 'flags' | 'spotPrice'>): number | undefined {
  return flags & SNAPSHOT_FLAGS.hasSpot ? spotPrice / SPOT_ONE : undefined
}

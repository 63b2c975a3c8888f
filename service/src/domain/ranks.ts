import { createHash } from 'node:crypto'

export interface RankedRecorder {
  readonly name: string
  /** How much it can carry, compared with the others. */
  readonly capacity: number
}

/** Each shard with the recorders that have a rank in it: the first one records it, the others are its standbys. */
export type Ranks = ReadonlyMap<string, readonly string[]>

/**
 * Ranks recorders for each shard by rendezvous hashing: everyone who knows the same recorders gets the same answer,
 * and a recorder that comes or goes moves few shards. In each round a recorder gets at most its share of the shards,
 * because chance alone would spread a few shards badly.
 */
export function rankRecorders(
  shards: readonly string[],
  recorders: readonly RankedRecorder[],
  standbys: number,
): Ranks {
  const ranks = new Map<string, string[]>(shards.map((shard) => [shard, []]))
  const sorted = shards
    .flatMap((shard) => recorders.map((recorder) => ({ shard, recorder, score: scoreOf(shard, recorder) })))
    .sort((one, other) => other.score - one.score || (one.recorder.name < other.recorder.name ? -1 : 1))
  for (let round = 0; round < Math.min(1 + standbys, recorders.length); round++) {
    const placesLeft = sharesOf(shards.length, recorders)
    const place = (isLimited: boolean): void => {
      for (const { shard, recorder } of sorted) {
        const ranked = ranks.get(shard) ?? []
        const left = placesLeft.get(recorder.name) ?? 0
        if (ranked.length !== round || ranked.includes(recorder.name) || (isLimited && left <= 0)) continue
        ranked.push(recorder.name)
        placesLeft.set(recorder.name, left - 1)
      }
    }
    place(true)
    // The only recorder with a place left may already have a rank in the shard.
    place(false)
  }
  return ranks
}

/** Whole places that add up to at least the number of shards. */
function sharesOf(shardCount: number, recorders: readonly RankedRecorder[]): Map<string, number> {
  const total = recorders.reduce((sum, { capacity }) => sum + capacity, 0)
  return new Map(recorders.map(({ name, capacity }) => [name, Math.ceil((shardCount * capacity) / total)]))
}

/** Weighted rendezvous: the chance to be first grows with the capacity. */
function scoreOf(shard: string, { name, capacity }: RankedRecorder): number {
  const hash = createHash('sha256').update(`${shard} ${name}`).digest()
  const share = (hash.readUInt32BE(0) + 1) / 0x1_0000_0001
  return -capacity / Math.log(share)
}

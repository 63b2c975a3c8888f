/** Which shard a market belongs to: FNV-1a over its id, the same on every machine and for ever. */
export function shardOf(marketId: string, shardCount: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < marketId.length; index++) {
    hash = Math.imul(hash ^ marketId.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % shardCount
}

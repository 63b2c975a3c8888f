/**
 * A shard is the unit that one recorder records: `<group>.<number>`. The group is a venue, or `prices`.
 * A market stays in its shard until the number of shards changes; rows name markets, never shards.
 */
export function shardOf(group: string, marketId: string, count: number): string {
  return `${group}.${hashOf(marketId) % count}`
}

export function shardsOf(group: string, count: number): string[] {
  return Array.from({ length: count }, (_, number) => `${group}.${number}`)
}

export function groupOf(shard: string): string {
  return shard.slice(0, shard.lastIndexOf('.'))
}

/** FNV-1a: the same on every machine and for ever. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

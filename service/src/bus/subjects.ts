export const DEAD_STREAM = 'dead'
export const MARKETS_STREAM = 'markets'
export const ARCHIVE_CONSUMER = 'archive'
export const FENCE_CONSUMER = 'fences'
export const CATALOGUE_CONSUMER = 'catalogue'
export const FACTS_CONSUMER = 'facts'

export const ALL_ROWS = 'snap.*.*'
export const ALL_FENCES = 'fence.*.*'
export const ALL_DEAD = 'dead.*.*'
/** `market.<venue>.<listed or resolved>.<market id>` */
export const ALL_MARKETS = 'market.>'
export const ALL_LISTED = 'market.*.listed.*'
export const ALL_RESOLVED = 'market.*.resolved.*'

export function rowsSubject(shard: string): string {
  return `snap.${shard}`
}

export function fenceSubject(shard: string): string {
  return `fence.${shard}`
}

export function deadSubject(shard: string): string {
  return `dead.${shard}`
}

/** `<venue>.<number>` */
export function shardIn(subject: string): string {
  return subject.slice(subject.indexOf('.') + 1)
}

/** Venue ids and market ids never contain the special characters of subjects. */
export function marketSubject(venue: string, kind: 'listed' | 'resolved', marketId: string): string {
  return `market.${venue}.${kind}.${marketId}`
}

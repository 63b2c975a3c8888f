export const DEAD_STREAM = 'dead'
export const MARKETS_STREAM = 'markets'
export const ARCHIVE_CONSUMER = 'archive'
export const FENCE_CONSUMER = 'fences'
export const CATALOGUE_CONSUMER = 'catalogue'
export const FACTS_CONSUMER = 'facts'

export const ALL_ROWS = 'snap.*.*'
/** Where the stream sends again what it has stored. */
export const STORED_AGAIN = { src: 'snap.*.*', dest: 'stored.{{wildcard(1)}}.{{wildcard(2)}}' }
export const ALL_FENCES = 'fence.*.*'
export const ALL_DEAD = 'dead.*.*'
/** `market.<venue>.<listed, closed or resolved>.<market id>` */
export const ALL_MARKETS = 'market.>'
export const ALL_LISTED = 'market.*.listed.*'
export const ALL_RESOLVED = 'market.*.resolved.*'

export function rowsSubject(shard: string): string {
  return `snap.${shard}`
}

/** What the stream has stored is sent again on this subject. */
export function storedSubject(shard: string): string {
  return `stored.${shard}`
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
export function marketSubject(venue: string, kind: 'listed' | 'closed' | 'resolved', marketId: string): string {
  return `market.${venue}.${kind}.${marketId}`
}

/** Recorders tell here which markets should have a result by now. */
export function endedSubject(venue: string): string {
  return `ended.${venue}`
}

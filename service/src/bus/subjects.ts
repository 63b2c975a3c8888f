/** Names on the bus. A shard's rows, its fence, what could not be stored, and what is known of markets. */
export const ROWS_STREAM = 'rows'
export const DEAD_STREAM = 'dead'
export const MARKETS_STREAM = 'markets'
export const ARCHIVE_CONSUMER = 'archive'
export const CATALOGUE_CONSUMER = 'catalogue'
export const FACTS_CONSUMER = 'facts'

export const ALL_ROWS = 'snap.*'
export const ALL_FENCES = 'fence.*'
export const ALL_DEAD = 'dead.*'
/** Venue, then market or resolution, then the market's id. */
export const ALL_MARKETS = 'market.>'
export const ALL_LISTED = 'market.*.listed.*'
export const ALL_RESOLVED = 'market.*.resolved.*'

export function rowsSubject(shard: number): string {
  return `snap.${shard}`
}

export function fenceSubject(shard: number): string {
  return `fence.${shard}`
}

export function deadSubject(shard: number): string {
  return `dead.${shard}`
}

/** Letters that would mean something else in a subject never come from a venue's id or a condition id. */
export function marketSubject(venue: string, kind: 'listed' | 'resolved', marketId: string): string {
  return `market.${venue}.${kind}.${marketId}`
}

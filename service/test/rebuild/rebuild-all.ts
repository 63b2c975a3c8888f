import type { TimeRange } from '../../src/domain/time-range.ts'
import { type Rebuilt, rebuild } from '../../src/rebuild/rebuild.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import type { RawBench } from '../raw/raw-bench.ts'

const NOWHERE = 'http://127.0.0.1:9'

/** Rebuilds what recorders of a `captureScene` have kept. */
export function rebuildAll(bench: RawBench, range: TimeRange): Promise<Rebuilt> {
  const addresses = { gammaUrl: NOWHERE, clobUrl: NOWHERE, socketUrl: NOWHERE }
  const venues = () => ({ venues: [polymarket(addresses)], priceVenues: [] })
  return rebuild({ reader: bench.reader(), venues, range, shardCounts: new Map([['polymarket', 2]]) })
}

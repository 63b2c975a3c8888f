import { VenueHttp } from '../venues/venue-http.ts'
import type { Run } from './field.ts'

/** The recorder's REST client; every answer is stored. */
export function fieldHttp({ counters, raw }: Run, venue: string, base: string): VenueHttp {
  return new VenueHttp(base, {}, (path, text) => {
    counters.answers++
    raw.append({ kind: 'rest', atMs: Date.now(), venue, stream: path, body: text })
  })
}

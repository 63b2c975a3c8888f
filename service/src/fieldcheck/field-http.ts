import { type HttpLimits, VenueHttp } from '../venues/venue-http.ts'
import type { Run } from './field.ts'

/** The recorder's REST client; it also stores every answer. */
export class FieldHttp extends VenueHttp {
  readonly #run: Run
  readonly #venue: string

  constructor(run: Run, venue: string, base: string, limits: Partial<HttpLimits> = {}) {
    super(base, limits)
    this.#run = run
    this.#venue = venue
  }

  override async get(path: string, signal: AbortSignal): Promise<string> {
    return this.#keep(path, await super.get(path, signal))
  }

  override async post(path: string, body: unknown, signal: AbortSignal): Promise<string> {
    return this.#keep(path, await super.post(path, body, signal))
  }

  #keep(path: string, text: string): string {
    this.#run.counters.answers++
    this.#run.raw.append({ kind: 'rest', atMs: Date.now(), venue: this.#venue, stream: path, body: text })
    return text
  }
}

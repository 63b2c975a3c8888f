import { ConnectGate } from '../connect-gate.ts'
import { type OnAnswer, VenueHttp } from '../venue-http.ts'

/** Half of what a client without a higher tier may read: 200 tokens a second, of which a request costs 10. */
const REQUESTS_PER_S = 10

/** REST client of the venue. Its 429 says not how long to wait, so the limit must not be reached. */
export class PacedHttp {
  readonly #http: VenueHttp
  readonly #gate = new ConnectGate({ everyMs: 1_000 / REQUESTS_PER_S, perMinute: 60 * REQUESTS_PER_S })

  constructor(restUrl: string, onAnswer?: OnAnswer) {
    this.#http = new VenueHttp(restUrl, {}, onAnswer)
  }

  async get(path: string, parameters: URLSearchParams, signal: AbortSignal): Promise<string> {
    await this.#gate.enter(signal)
    return this.#http.get(`${path}?${parameters.toString()}`, signal)
  }
}

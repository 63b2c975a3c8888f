import type { VenueHttp } from '../venue-http.ts'
import type { GammaEvent } from './gamma.ts'
import { type EventList, fetchEvent, type OnProblem } from './list-events.ts'

const SUFFIX = '-more-markets'
const GAME_SLUG = /-\d{4}-\d{2}-\d{2}$/
const LOOKUPS_PER_ROUND = 30
/** The venue adds markets to such an event until the game starts. */
const REFRESHED_AFTER_MS = 10 * 60_000
const ABSENT_ASKED_AGAIN_AFTER_MS = 30 * 60_000

interface Sibling {
  event: GammaEvent | undefined
  nextAtMs: number
}

/** Spreads, totals and props of a game may be in a second event, which lists and searches do not show reliably. */
export class MoreMarkets {
  readonly #gamma: VenueHttp
  readonly #onProblem: OnProblem
  readonly #siblings = new Map<string, Sibling>()

  constructor(gamma: VenueHttp, onProblem: OnProblem) {
    this.#gamma = gamma
    this.#onProblem = onProblem
  }

  /** The second events of these games, as far as they are known; a bounded number is requested in each call. */
  async of(games: readonly GammaEvent[], nowMs: number, signal: AbortSignal): Promise<EventList> {
    const slugs = new Set(games.map(({ slug }) => slug).filter((slug) => GAME_SLUG.test(slug)))
    for (const slug of this.#siblings.keys()) if (!slugs.has(slug)) this.#siblings.delete(slug)
    const due = [...slugs]
      .map((slug) => ({ slug, nextAtMs: this.#siblings.get(slug)?.nextAtMs ?? 0 }))
      .filter(({ nextAtMs }) => nowMs >= nextAtMs)
      .sort((one, other) => one.nextAtMs - other.nextAtMs)
      .slice(0, LOOKUPS_PER_ROUND)
    let isPartial = false
    for (const { slug } of due) {
      try {
        const event = await fetchEvent(this.#gamma, `${slug}${SUFFIX}`, signal, this.#onProblem)
        const pauseMs = event === undefined ? ABSENT_ASKED_AGAIN_AFTER_MS : REFRESHED_AFTER_MS
        this.#siblings.set(slug, { event, nextAtMs: nowMs + pauseMs })
      } catch {
        signal.throwIfAborted()
        this.#onProblem('the further markets of a game could not be requested')
        isPartial = true
        break
      }
    }
    return { events: [...this.#siblings.values()].flatMap(({ event }) => event ?? []), isPartial }
  }
}

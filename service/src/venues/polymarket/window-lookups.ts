import type { VenueHttp } from '../venue-http.ts'
import { type ExpectedWindow, expectedWindows } from './crypto-windows.ts'
import type { GammaEvent } from './gamma.ts'
import { type EventList, fetchEvent, type OnProblem } from './list-events.ts'

const LOOKUPS_PER_ROUND = 150
const LOOKUPS_AT_ONCE = 6
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 300_000

interface Missing {
  nextAtMs: number
  pauseMs: number
}

/** Finds crypto windows by their computed slugs, one request for each window that is not known yet. */
export class WindowLookups {
  readonly #gamma: VenueHttp
  readonly #onProblem: OnProblem
  readonly #found = new Map<string, { event: GammaEvent; endMs: number }>()
  readonly #missing = new Map<string, Missing & { endMs: number }>()

  constructor(gamma: VenueHttp, onProblem: OnProblem) {
    this.#gamma = gamma
    this.#onProblem = onProblem
  }

  /** The windows that are open or come next. Partial when the venue did not answer for some of them. */
  async look(nowMs: number, signal: AbortSignal): Promise<EventList> {
    this.#forget(nowMs)
    const due = expectedWindows(nowMs)
      .filter((window) => this.#isDue(window, nowMs))
      .sort((one, other) => one.startMs - other.startMs)
      .slice(0, LOOKUPS_PER_ROUND)
    let failure: unknown
    const next = due.values()
    await Promise.all(
      Array.from({ length: LOOKUPS_AT_ONCE }, async () => {
        for (const window of next) {
          if (failure !== undefined) return
          await this.#lookUp(window, nowMs, signal).catch((error: unknown) => {
            failure ??= error
          })
        }
      }),
    )
    signal.throwIfAborted()
    const events = [...this.#found.values()].map(({ event }) => event)
    if (failure === undefined) return { events, isPartial: false }
    if (events.length === 0) throw failure
    this.#onProblem('a crypto window could not be requested')
    return { events, isPartial: true }
  }

  /** Windows that the venue answered with 404, by their likeliest slug. */
  get missing(): string[] {
    return [...this.#missing.keys()]
  }

  #isDue({ slugs: [slug = ''] }: ExpectedWindow, nowMs: number): boolean {
    return !this.#found.has(slug) && nowMs >= (this.#missing.get(slug)?.nextAtMs ?? 0)
  }

  async #lookUp({ slugs, endMs }: ExpectedWindow, nowMs: number, signal: AbortSignal): Promise<void> {
    const [key = ''] = slugs
    for (const slug of slugs) {
      const event = await fetchEvent(this.#gamma, slug, signal, this.#onProblem)
      if (event === undefined) continue
      this.#found.set(key, { event, endMs })
      this.#missing.delete(key)
      return
    }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, (this.#missing.get(key)?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2)
    this.#missing.set(key, { nextAtMs: nowMs + pauseMs, pauseMs, endMs })
  }

  #forget(nowMs: number): void {
    for (const windows of [this.#found, this.#missing])
      for (const [slug, { endMs }] of windows) if (endMs <= nowMs) windows.delete(slug)
  }
}

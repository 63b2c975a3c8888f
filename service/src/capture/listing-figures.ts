import type { Tally } from '../venues/tally.ts'
import type { Listing } from '../venues/venue.ts'
import type { CaptureMetrics } from './capture-metrics.ts'

/** Examples behind one value of a metric, such as slugs of skipped markets; `key` is the value's labels in order. */
export type NoteExamples = (metric: string, key: string, examples: readonly string[]) => void

type Figure = 'skipped' | 'differences'

/** Shows what discovery did not follow or could not agree on, for the newest listing of each plan. */
export class ListingFigures {
  readonly #venue: string
  readonly #metrics: CaptureMetrics
  readonly #noteExamples: NoteExamples
  readonly #reasons = new Map<string, ReadonlySet<string>>()

  constructor(venue: string, metrics: CaptureMetrics, noteExamples: NoteExamples = () => {}) {
    this.#venue = venue
    this.#metrics = metrics
    this.#noteExamples = noteExamples
  }

  take(plan: string, listing: Listing): void {
    this.#metrics.listings.inc({ venue: this.#venue, plan, outcome: listing.isPartial ? 'partial' : 'complete' })
    this.#show('skipped', plan, listing.skipped)
    this.#show('differences', plan, listing.differences)
  }

  #show(figure: Figure, plan: string, tallies: readonly Tally[]): void {
    const gauge = this.#metrics[figure]
    const now = new Set(tallies.map(({ reason }) => reason))
    for (const reason of this.#reasons.get(`${figure} ${plan}`) ?? [])
      if (!now.has(reason)) this.#set(figure, gauge, plan, { reason, count: 0, examples: [] })
    this.#reasons.set(`${figure} ${plan}`, now)
    for (const tally of tallies) this.#set(figure, gauge, plan, tally)
  }

  #set(figure: Figure, gauge: CaptureMetrics[Figure], plan: string, { reason, count, examples }: Tally): void {
    gauge.set({ venue: this.#venue, plan, reason }, count)
    this.#noteExamples(METRIC_NAMES[figure], `${this.#venue} ${plan} ${reason}`, examples)
  }
}

const METRIC_NAMES: Readonly<Record<Figure, string>> = {
  skipped: 'capture_markets_skipped',
  differences: 'capture_discovery_differences',
}

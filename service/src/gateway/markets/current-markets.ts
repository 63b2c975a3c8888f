import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import { currentOf, type MovingSelector } from './resolve-selectors.ts'
import type { StreamMarket } from './stream-market.ts'

/** What windows and categories mean at the moment, looked up once for all who follow them. */
export class CurrentMarkets {
  readonly #catalogue: LiveCatalogue
  readonly #nowMs: () => number
  readonly #known = new Map<string, readonly StreamMarket[]>()
  readonly #fresh = new Set<string>()

  constructor(catalogue: LiveCatalogue, nowMs: () => number) {
    this.#catalogue = catalogue
    this.#nowMs = nowMs
  }

  /** Begins a new look; what nobody asked for in the last one is forgotten. */
  refresh(): void {
    for (const key of this.#known.keys()) if (!this.#fresh.has(key)) this.#known.delete(key)
    this.#fresh.clear()
  }

  /** The very same list as long as the same markets are in it. */
  of(selector: MovingSelector, key: string): readonly StreamMarket[] {
    const known = this.#known.get(key)
    if (known !== undefined && this.#fresh.has(key)) return known
    this.#fresh.add(key)
    const found = currentOf(this.#catalogue, selector, this.#nowMs())
    const isSame = known?.length === found.length && found.every(({ id }, index) => known[index]?.id === id)
    if (known !== undefined && isSame) return known
    this.#known.set(key, found)
    return found
  }
}

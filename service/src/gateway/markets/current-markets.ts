import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import { currentOf, type MovingSelector } from './resolve-selectors.ts'
import type { StreamMarket } from './stream-market.ts'

/** The current markets of windows and categories, looked up once for all connections. */
export class CurrentMarkets {
  readonly #catalogue: LiveCatalogue
  readonly #nowMs: () => number
  readonly #known = new Map<string, readonly StreamMarket[]>()
  readonly #fresh = new Set<string>()
  /** Resolved markets that the catalogue still lists. */
  readonly #ended = new Set<string>()

  constructor(catalogue: LiveCatalogue, nowMs: () => number) {
    this.#catalogue = catalogue
    this.#nowMs = nowMs
  }

  /** Starts a new round of lookups, and forgets selectors that were not used in the last one. */
  refresh(): void {
    for (const key of this.#known.keys()) if (!this.#fresh.has(key)) this.#known.delete(key)
    this.#fresh.clear()
    const nowMs = this.#nowMs()
    for (const id of this.#ended) if (this.#catalogue.byId(id, nowMs) === undefined) this.#ended.delete(id)
  }

  /** A market was resolved, so it is no current one from now on. */
  ended(marketId: string): void {
    this.#ended.add(marketId)
  }

  /** Returns the same array as long as it has the same markets. */
  of(selector: MovingSelector, key: string): readonly StreamMarket[] {
    const known = this.#known.get(key)
    if (known !== undefined && this.#fresh.has(key)) return known
    this.#fresh.add(key)
    const found = currentOf(this.#catalogue, selector, this.#nowMs()).filter(({ id }) => !this.#ended.has(id))
    const isSame = known?.length === found.length && found.every(({ id }, index) => known[index]?.id === id)
    if (known !== undefined && isSame) return known
    this.#known.set(key, found)
    return found
  }
}

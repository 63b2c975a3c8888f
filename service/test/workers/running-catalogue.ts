import { NOW_MS } from '@bookreel/testbed/service/market-facts'
import type { Market, Resolution } from '../../src/domain/market.ts'
import { type CatalogueDeps, type CatalogueMessage, runCatalogue } from '../../src/workers/catalogue.ts'
import type { OpenMarkets } from '../markets/open-markets.ts'
import { PushedItems } from './pushed-items.ts'

/** A catalogue worker that stores what a test pushes, and what became of the messages. */
export class RunningCatalogue {
  readonly messages = new PushedItems<CatalogueMessage>()
  readonly acknowledged: string[] = []
  readonly refused: string[] = []
  saveCount = 0
  /** As long as it is true, the database gives no answer. */
  isAway = false
  readonly counts = { stored: 0, failed: 0 }
  readonly #open: OpenMarkets
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(open: OpenMarkets) {
    this.#open = open
    const meter = {
      stored: (count: number) => (this.counts.stored += count),
      refused: () => {},
      failed: () => this.counts.failed++,
    }
    const markets: CatalogueDeps['markets'] = {
      saveListings: async (listings) => {
        this.saveCount++
        if (this.isAway) throw new Error('no answer')
        await open.markets.saveListings(listings)
      },
      saveResolutions: (resolutions) => open.markets.saveResolutions(resolutions),
    }
    this.#running = runCatalogue({ messages: this.messages, markets, meter, retryAfterMs: 20 }, this.#stopping.signal)
  }

  /** Notes at the moment of acknowledgement whether the market is stored. */
  messageOf(market: Market, resolutions: Resolution[] = []): CatalogueMessage {
    return {
      listings: [{ market, seenAtMs: NOW_MS }],
      resolutions,
      acknowledge: async () => {
        const stored = await this.#open.markets.byId(market.id, NOW_MS)
        this.acknowledged.push(stored ? `${market.label} stored` : `${market.label} LOST`)
      },
      refuse: async () => {
        this.refused.push(market.label)
      },
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}

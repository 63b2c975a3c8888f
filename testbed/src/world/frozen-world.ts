import type { Market } from '@bookreel/service/domain/market'
import type { Gap } from '@bookreel/service/domain/rows/gap'
import type { Snapshot } from '@bookreel/service/domain/rows/snapshot'
import { PERP_COINS } from './record-perps.ts'
import type { RecordedCounts, WorldFacts } from './world-facts.ts'
import type { WorldMover } from './world-mover.ts'
import { WORLD_FROM_MS, WORLD_NOW_MS } from './world-times.ts'

const NOTHING: RecordedCounts = { rows: 0, trades: 0, contexts: 0 }

/** What tests know about the frozen world. */
export class FrozenWorld {
  /** The first rows were recorded then. */
  readonly fromMs = WORLD_FROM_MS
  /** The perps with rows, trades and contexts. */
  readonly perps = PERP_COINS
  readonly perp = PERP_COINS[0]
  readonly facts: WorldFacts
  readonly #mover: WorldMover | undefined

  constructor(facts: WorldFacts, mover?: WorldMover) {
    this.facts = facts
    this.#mover = mover
  }

  get nowMs(): number {
    return this.#mover?.nowMs ?? WORLD_NOW_MS
  }

  /** Lets the world go on for this long; resolves when all of it is stored, and every gateway has applied it. */
  advance(ms: number): Promise<void> {
    return this.#moving.advance(ms)
  }

  /** From now on the socket of the windows of Bitcoin is lost for this long. */
  disconnect(forMs: number): void {
    this.#moving.world.polymarket.disconnect(forMs)
  }

  /** From now on the socket of trades and contexts of the perps is lost for this long. */
  disconnectPerps(forMs: number): void {
    this.#moving.world.perps.disconnect(forMs)
  }

  /** From now on Polymarket computes the hashes of its books by a rule that nobody knows. */
  changeHashRule(): void {
    this.#moving.world.polymarket.changeHashRule()
  }

  /** The rows of a market that were recorded since the start of the test, oldest first. */
  movedRows(marketId: string): Snapshot[] {
    return this.#moving.recording.ticks.flatMap(({ snapshots }) => snapshots.filter((row) => row.marketId === marketId))
  }

  get markets(): readonly Market[] {
    return this.facts.listings.map(({ market }) => market)
  }

  /** The five-minute window of Bitcoin from 11:55 to 12:00, whose outcome is known. It has the gap. */
  get ended5m(): Market {
    return this.#slug('btc-updown-5m-1791978900')
  }

  /** The same window of Ether, which has no gap. */
  get ended5mWithoutGap(): Market {
    return this.#slug('eth-updown-5m-1791978900')
  }

  /** From 12:00 to 12:05. */
  get live5m(): Market {
    return this.#slug('btc-updown-5m-1791979200')
  }

  /** From 12:05 to 12:10: followed already. */
  get next5m(): Market {
    return this.#slug('btc-updown-5m-1791979500')
  }

  get ended1h(): Market {
    return this.#slug('bitcoin-up-or-down-october-14-2026-7am-et')
  }

  get live1h(): Market {
    return this.#slug('bitcoin-up-or-down-october-14-2026-8am-et')
  }

  /** About the highest price of Bitcoin until the end of November. It changes several times a second since 12:01. */
  get hot(): Market {
    return this.#only(
      'hot',
      ({ venue, timeframe, eventSlug }) =>
        venue === 'polymarket' && timeframe === 'hit-price' && eventSlug.startsWith('what-price-will-bitcoin-hit'),
    )
  }

  /** The first long-lived market of a category. */
  longLived(category: Exclude<Market['category'], 'crypto'>): Market {
    return this.#only(category, (market) => market.category === category)
  }

  /** The window of Kalshi from 12:00 to 12:15. */
  get liveKalshi(): Market {
    return this.#slug('kxbtc15m-26oct140815-15')
  }

  /** The window of Kalshi from 11:45 to 12:00, whose outcome is known. */
  get endedKalshi(): Market {
    return this.#slug('kxbtc15m-26oct140800-00')
  }

  /** Rows, trades and contexts of a market or, by its coin, of a perp. */
  countsOf(idOrCoin: string): RecordedCounts {
    return this.facts.counts.get(idOrCoin) ?? NOTHING
  }

  /** The gaps of a market, oldest first. */
  gapsOf(marketId: string): Gap[] {
    return this.facts.gaps.filter((gap) => gap.marketId === marketId)
  }

  /** The outcome that won, if it is known. */
  winnerOf(marketId: string): 0 | 1 | undefined {
    const resolutions = [...this.facts.resolutions, ...(this.#mover?.recording.resolutions ?? [])]
    return resolutions.find((resolution) => resolution.marketId === marketId)?.winner
  }

  get #moving(): WorldMover {
    if (this.#mover === undefined) throw new Error("This world stands still. Start it with { world: 'moving' }.")
    return this.#mover
  }

  #slug(slug: string): Market {
    return this.#only(slug, (market) => market.slug === slug)
  }

  #only(name: string, isIt: (market: Market) => boolean): Market {
    const found = this.markets.find(isIt)
    if (found === undefined) throw new Error(`the frozen world has no market ${name}`)
    return found
  }
}

import type { NatsConnection } from '@nats-io/transport-node'
import { decodeMarketUpdate } from '../../bus/market-updates.ts'
import { ALL_RESOLVED } from '../../bus/subjects.ts'
import type { Resolution } from '../../domain/market.ts'
import { type MarketStatus, marketStatusAt } from '../../domain/market-status.ts'
import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import type { Markets } from '../../stores/markets/markets.ts'
import type { Hub } from './hub.ts'

export interface LifecycleDeps {
  readonly hub: Hub
  readonly catalogue: LiveCatalogue
  readonly markets: Pick<Markets, 'byId'>
  readonly nowMs: () => number
  readonly onEnded: (marketId: string) => void
  readonly onTrouble: (error: unknown) => void
}

const ASK_STORE_EVERY_MS = 5_000

/** Tells the `market` channel when a market opens, settles and is resolved. */
export class Lifecycle {
  readonly #deps: LifecycleDeps
  readonly #statuses = new Map<string, MarketStatus>()
  readonly #askedAtMs = new Map<string, number>()

  constructor(deps: LifecycleDeps) {
    this.#deps = deps
  }

  attach(connection: NatsConnection): void {
    connection.subscribe(ALL_RESOLVED, {
      callback: (error, message) => {
        if (error !== null) return
        try {
          const news = decodeMarketUpdate(message.data)
          if (news.kind === 'resolved') this.#resolved(news.resolution)
        } catch (broken) {
          this.#deps.onTrouble(broken)
        }
      },
    })
  }

  look(): void {
    const { hub, catalogue, nowMs } = this.#deps
    const seen = new Set<string>()
    for (const live of hub.markets) {
      const { id, listed } = live.market
      if (listed === undefined) continue
      seen.add(id)
      const held = catalogue.byId(id, nowMs())
      const status = held?.status ?? marketStatusAt(nowMs(), listed, false)
      const before = this.#statuses.get(id)
      if (held === undefined && before !== 'expired') this.#askStore(id)
      if (before === 'upcoming' && status === 'live') live.tell('market', { type: 'opened', slug: listed.slug })
      if ((before === 'upcoming' || before === 'live') && status === 'settling') {
        live.tell('market', { type: 'settled', slug: listed.slug })
      }
      if (before !== 'expired') this.#statuses.set(id, status)
    }
    for (const known of [this.#statuses, this.#askedAtMs]) {
      for (const id of known.keys()) if (!seen.has(id)) known.delete(id)
    }
  }

  /** The catalogue drops a market when it is resolved; the message about it may have come before this node listened. */
  #askStore(marketId: string): void {
    const { markets, nowMs, onTrouble } = this.#deps
    if (nowMs() - (this.#askedAtMs.get(marketId) ?? 0) < ASK_STORE_EVERY_MS) return
    this.#askedAtMs.set(marketId, nowMs())
    markets
      .byId(marketId, nowMs())
      .then((market) => market?.resolution && this.#resolved(market.resolution))
      .catch(onTrouble)
  }

  #resolved({ marketId, winner }: Resolution): void {
    const live = this.#deps.hub.known(marketId)
    // The venue may tell it more than once.
    if (live === undefined || this.#statuses.get(marketId) === 'expired') return
    this.#statuses.set(marketId, 'expired')
    const outcome = winner === undefined ? null : winner === 0 ? 'UP' : 'DOWN'
    live.tell('market', { type: 'resolved', slug: live.market.listed?.slug, outcome })
    this.#deps.onEnded(marketId)
  }
}

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

const READ_STORE_EVERY_MS = 5_000

/** Sends frames on the `market` channel when a market opens, settles and is resolved. */
export class Lifecycle {
  readonly #deps: LifecycleDeps
  readonly #statuses = new Map<string, MarketStatus>()
  readonly #readAtMs = new Map<string, number>()

  constructor(deps: LifecycleDeps) {
    this.#deps = deps
  }

  attach(connection: NatsConnection): void {
    connection.subscribe(ALL_RESOLVED, {
      callback: (error, message) => {
        if (error !== null) return
        try {
          const update = decodeMarketUpdate(message.data)
          if (update.kind === 'resolved') this.#resolved(update.resolution)
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
      if (held === undefined && before !== 'expired') this.#readStore(id)
      if (before === 'upcoming' && status === 'live')
        live.notify('market', { type: 'opened', venue: listed.venue, slug: listed.slug })
      if ((before === 'upcoming' || before === 'live') && status === 'settling') {
        live.notify('market', { type: 'settled', venue: listed.venue, slug: listed.slug })
      }
      if (before !== 'expired') this.#statuses.set(id, status)
    }
    for (const known of [this.#statuses, this.#readAtMs]) {
      for (const id of known.keys()) if (!seen.has(id)) known.delete(id)
    }
  }

  /** The catalogue drops resolved markets, and this node may have missed the message about the resolution. */
  #readStore(marketId: string): void {
    const { markets, nowMs, onTrouble } = this.#deps
    if (nowMs() - (this.#readAtMs.get(marketId) ?? 0) < READ_STORE_EVERY_MS) return
    this.#readAtMs.set(marketId, nowMs())
    markets
      .byId(marketId, nowMs())
      .then((market) => market?.resolution && this.#resolved(market.resolution))
      .catch(onTrouble)
  }

  #resolved({ marketId, winner }: Resolution): void {
    const live = this.#deps.hub.known(marketId)
    // The venue may report a resolution more than once.
    if (live === undefined || this.#statuses.get(marketId) === 'expired') return
    this.#statuses.set(marketId, 'expired')
    const outcome = winner === undefined ? null : winner === 0 ? 'UP' : 'DOWN'
    const { venue, listed } = live.market
    live.notify('market', { type: 'resolved', venue, slug: listed?.slug, outcome })
    this.#deps.onEnded(marketId)
  }
}

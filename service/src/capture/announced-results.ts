import { MarketUpdateOutbox } from '../bus/market-update-outbox.ts'
import type { MarketUpdate } from '../bus/market-updates.ts'
import type { Market } from '../domain/market.ts'
import type { ResolvedEvent } from '../venues/venue.ts'
import type { ProblemLog } from './problem-log.ts'

export interface AnnouncedResultsDeps {
  venueId: string
  /** A market that this process follows. */
  marketOf: (id: string) => Market | undefined
  /** Resolves when NATS has stored the update; the same `messageId` is given for every try. */
  publish: (update: MarketUpdate, messageId: string) => Promise<void>
  /** Asks the process that discovers markets for these results. */
  requestResults: (marketIds: readonly string[]) => void
  problems: ProblemLog
  onDropped: (update: MarketUpdate) => void
}

/** Results that the venue announces on sockets. */
export class AnnouncedResults {
  readonly #deps: AnnouncedResultsDeps
  readonly #outbox: MarketUpdateOutbox

  constructor(deps: AnnouncedResultsDeps) {
    this.#deps = deps
    const { problems, venueId, publish, onDropped } = deps
    this.#outbox = new MarketUpdateOutbox({
      publish,
      onDropped,
      onFailed: (err, waiting) => problems.warn('publishing results failed', venueId, { err, waiting }),
    })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#outbox.run(signal)
  }

  /** Without a winner that is one of the market's tokens, the result is requested. */
  take({ marketId, winningTokenId, resolvedAtMs }: ResolvedEvent): void {
    const { venueId, marketOf, problems, requestResults } = this.#deps
    const market = marketOf(marketId)
    if (market === undefined) return
    const winner = market.tokenIds.indexOf(winningTokenId ?? '')
    if (winner === 0 || winner === 1) {
      this.#outbox.add({ kind: 'resolved', venue: venueId, resolution: { marketId, winner, resolvedAtMs } })
      return
    }
    problems.warn('resolution without a known winner', venueId, { marketId })
    requestResults([marketId])
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Resolution } from '../domain/market.ts'
import type { BinaryVenue, EndedMarket } from '../venues/venue.ts'
import { UnresolvedMarkets } from './unresolved-markets.ts'

export interface EndingWatchDeps {
  venue: Pick<BinaryVenue, 'fetchEndings'>
  nowMs: () => number
  /** Undefined when no listing of the market is known any more. */
  tokenIdsOf(marketId: string): Promise<readonly [string, string] | undefined>
  onResolved(resolution: Resolution): void
  /** The venue has closed the market, but shows no result yet; called at every request that says so. */
  onClosed(marketId: string): void
  onFailed(error: unknown, markets: number): void
}

const CHECK_EVERY_MS = 1_000
const REQUESTED_AT_ONCE = 200

/** Asks the venue for results: one in five is not announced on the socket, and none while it is down. */
export class EndingWatch {
  readonly #deps: EndingWatchDeps
  readonly #unresolved = new UnresolvedMarkets()

  constructor(deps: EndingWatchDeps) {
    this.#deps = deps
  }

  /** The market should have a result, or have one soon. */
  note(marketId: string, firstRequestAtMs?: number): void {
    this.#unresolved.note(marketId, this.#deps.nowMs(), firstRequestAtMs)
  }

  forget(marketId: string): void {
    this.#unresolved.forget(marketId)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#request(signal)
      await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #request(signal: AbortSignal): Promise<void> {
    const { venue, nowMs } = this.#deps
    const due = this.#unresolved.due(nowMs(), REQUESTED_AT_ONCE)
    if (due.length === 0) return
    try {
      const markets = await Promise.all(due.map((id) => this.#endedMarket(id)))
      for (const { marketId, resolution } of await venue.fetchEndings(markets, nowMs(), signal)) {
        if (resolution === undefined) this.#deps.onClosed(marketId)
        else this.#deps.onResolved(resolution)
      }
    } catch (error) {
      if (!signal.aborted) this.#deps.onFailed(error, due.length)
    }
  }

  async #endedMarket(id: string): Promise<EndedMarket> {
    const tokenIds = await this.#deps.tokenIdsOf(id)
    return { id, ...(tokenIds !== undefined && { tokenIds }) }
  }
}

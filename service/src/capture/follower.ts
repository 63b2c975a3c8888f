import type { Market, Resolution } from '../domain/market.ts'
import type { Trade } from '../domain/rows/trade.ts'
import type { BinaryVenue, Doubt, FrameProblem, VenueEvent } from '../venues/venue.ts'
import { FollowedMarket } from './followed-market.ts'

export interface FollowerDeps {
  venue: BinaryVenue
  nowMs: () => number
  onTrade(trade: Trade): void
  onResolved(resolution: Resolution): void
  onProblem(problem: FrameProblem): void
  /** A book does not match the venue's hash. */
  onDoubt(market: Market, doubt: Doubt): void
}

/** Applies a venue's frames to the followed markets, whichever socket the frames came from. */
export class Follower {
  readonly markets = new Map<string, FollowedMarket>()
  readonly #outcomes = new Map<string, { followed: FollowedMarket; outcome: 0 | 1 }>()
  readonly #deps: FollowerDeps

  constructor(deps: FollowerDeps) {
    this.#deps = deps
  }

  add(market: Market): FollowedMarket {
    const known = this.markets.get(market.id)
    if (known !== undefined) return known
    const { venue, nowMs } = this.#deps
    const onDoubt = (doubt: Doubt): void => this.#deps.onDoubt(market, doubt)
    const followed = new FollowedMarket(venue.openBook(market), nowMs(), onDoubt)
    this.markets.set(market.id, followed)
    for (const outcome of [0, 1] as const) this.#outcomes.set(market.tokenIds[outcome], { followed, outcome })
    return followed
  }

  remove(marketId: string): void {
    const followed = this.markets.get(marketId)
    if (followed === undefined) return
    this.markets.delete(marketId)
    for (const token of followed.market.tokenIds) this.#outcomes.delete(token)
  }

  /** Returns whether the frame held data. */
  frame(text: string, receivedAtMs: number): boolean {
    const { events, problems } = this.#deps.venue.decode(text)
    for (const event of events) this.#take(event, receivedAtMs)
    for (const problem of problems) {
      this.#deps.onProblem(problem)
      if (problem.kind !== 'undecodable' || problem.marketId === undefined) continue
      this.markets.get(problem.marketId)?.distrust({ cause: 'undecodable', detail: problem.reason })
    }
    return events.length > 0
  }

  /** The socket of these markets ended; until its last frame it delivered every event in order. */
  lost(marketIds: Iterable<string>, doubt: Doubt, lastDataAtMs: number | undefined): void {
    for (const id of marketIds) this.markets.get(id)?.distrust(doubt, lastDataAtMs)
  }

  #take(event: VenueEvent, receivedAtMs: number): void {
    switch (event.kind) {
      case 'book':
      case 'change':
      case 'tick':
        this.markets.get(event.marketId)?.take(event, receivedAtMs)
        return
      case 'trade': {
        const known = this.#outcomes.get(event.tokenId)
        if (known === undefined || known.followed.market.id !== event.trade.marketId) return
        known.followed.take(event, receivedAtMs)
        this.#deps.onTrade({ ...event.trade, outcome: known.outcome, receivedAtMs: Math.round(receivedAtMs) })
        return
      }
      case 'resolved':
        if (this.markets.has(event.resolution.marketId)) this.#deps.onResolved(event.resolution)
        return
      case 'created':
        return
    }
  }
}

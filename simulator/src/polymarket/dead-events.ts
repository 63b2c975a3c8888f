import { longLivedEvents } from '../world/catalogue/long-lived.ts'
import { eventFrom, marketFrom, type VenueEvent } from '../world/market.ts'

const ELEVEN_MONTHS_MS = 330 * 86_400_000

/** Events that ended long ago and are still listed as open; no order book service knows their tokens. */
export function deadEvents(nowMs: number): VenueEvent[] {
  const longAgoMs = nowMs - ELEVEN_MONTHS_MS
  return longLivedEvents('dead', longAgoMs, 12).map((draft, index) => {
    const event = eventFrom('dead', draft, 90_000 + index, longAgoMs)
    for (const [rank, marketDraft] of draft.markets.entries()) {
      const gammaId = 700_000 + index * 100 + rank
      const numbers = { order: 0, gammaId, createdAtMs: longAgoMs, listedAtMs: longAgoMs }
      event.markets.push(marketFrom('dead', event, marketDraft, numbers))
    }
    return { ...event, endMs: longAgoMs + 86_400_000 }
  })
}

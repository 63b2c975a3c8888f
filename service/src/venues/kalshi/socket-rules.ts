import type { Market } from '../../domain/market.ts'
import type { FeedRules } from '../feed-options.ts'
import type { ExpectedTraffic, SocketRules } from '../venue.ts'

const MEAN_FRAME_BYTES = 300
/** A window that opens later than this is still quiet. */
const BUSY_BEFORE_START_MS = 60_000

const QUIET = traffic(0.2)
const GAME = traffic(2)
const WINDOW = traffic(50)
/** The busiest market ever measured had 738 changes a second. */
const BUSIEST_WINDOW: ExpectedTraffic = { ...traffic(400), isExclusive: true }

export function socketRules(url: string, headers: NonNullable<FeedRules['headers']>): SocketRules {
  return {
    url,
    headers,
    // Sockets with quiet markets carry no data for minutes, so only pongs show that they are alive.
    heartbeat: { everyMs: 10_000, answerWithinMs: 20_000 },
    maxFrameBytes: 4 * 1024 * 1024,
    marketsPerSocket: 500,
    // A guess: nobody has published a limit, and a recorder with four such connections lost nothing at 1,250 frames a second.
    budget: { framesPerS: 1_500, bytesPerS: 1_500 * MEAN_FRAME_BYTES },
    expectedTraffic,
    meaningOf: () => 'lost',
  }
}

function traffic(framesPerS: number): ExpectedTraffic {
  return { isExclusive: false, framesPerS, bytesPerS: framesPerS * MEAN_FRAME_BYTES }
}

function expectedTraffic({ category, subcategory, timeframe, startsAtMs }: Market, nowMs: number): ExpectedTraffic {
  if (category === 'sports') return GAME
  if (category !== 'crypto' || timeframe !== '15m') return QUIET
  if (subcategory === 'BTC') return BUSIEST_WINDOW
  return (startsAtMs ?? 0) - nowMs < BUSY_BEFORE_START_MS ? WINDOW : QUIET
}

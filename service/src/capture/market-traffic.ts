import type { Traffic } from '../venues/venue.ts'

const PERIOD_MS = 10_000
/** Weight of the newest period in the running mean. */
const NEWEST_WEIGHT = 0.3

interface Measured {
  frames: number
  bytes: number
  mean: Traffic | undefined
}

/** What each market sends, as a running mean over periods of ten seconds. */
export class MarketTraffic {
  readonly #markets = new Map<string, Measured>()
  #sinceMs: number

  constructor(nowMs: number) {
    this.#sinceMs = nowMs
  }

  note(marketId: string, frames: number, bytes: number): void {
    const known = this.#markets.get(marketId)
    if (known === undefined) return
    known.frames += frames
    known.bytes += bytes
  }

  add(marketId: string): void {
    if (!this.#markets.has(marketId)) this.#markets.set(marketId, { frames: 0, bytes: 0, mean: undefined })
  }

  remove(marketId: string): void {
    this.#markets.delete(marketId)
  }

  /** Undefined until the market has been measured for one period. */
  of(marketId: string): Traffic | undefined {
    return this.#markets.get(marketId)?.mean
  }

  /** Returns whether a period has ended, so that the means are new. */
  endPeriod(nowMs: number): boolean {
    const seconds = (nowMs - this.#sinceMs) / 1_000
    if (seconds * 1_000 < PERIOD_MS) return false
    this.#sinceMs = nowMs
    for (const each of this.#markets.values()) {
      const newest = { framesPerS: each.frames / seconds, bytesPerS: each.bytes / seconds }
      each.mean = each.mean === undefined ? newest : mixed(each.mean, newest)
      each.frames = 0
      each.bytes = 0
    }
    return true
  }
}

function mixed(mean: Traffic, newest: Traffic): Traffic {
  return {
    framesPerS: mean.framesPerS + NEWEST_WEIGHT * (newest.framesPerS - mean.framesPerS),
    bytesPerS: mean.bytesPerS + NEWEST_WEIGHT * (newest.bytesPerS - mean.bytesPerS),
  }
}

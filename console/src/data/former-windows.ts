import type { FeedWindow } from './stream/feed-messages.ts'
import type { LiveMarket } from './stream/live-market.ts'

interface ListedMarket {
  readonly market: string
  readonly endMs: number
}

/** A part of the list of the recorded markets of a series, the newest first. */
export interface MarketPage {
  readonly markets: readonly ListedMarket[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

interface FormerOptions {
  readonly live: Pick<LiveMarket, 'windows' | 'addFormerWindows'>
  readonly fetchPage: (cursor: string | undefined) => Promise<MarketPage>
  readonly mayAsk: (nowMs: number) => boolean
}

/** A day of the shortest windows, which is more than a map can show. */
const MOST_WINDOWS = 300
const AGAIN_MS = 5_000

/** Finds the windows of a series before the one that is open, as far back as the map shows. */
export class FormerWindows {
  readonly #options: FormerOptions
  #newest = ''
  /** From this time on all windows are known. */
  #listedFromMs = Number.POSITIVE_INFINITY
  #cursor: string | undefined
  #isBusy = false
  #askAtMs = Number.NEGATIVE_INFINITY

  constructor(options: FormerOptions) {
    this.#options = options
  }

  isListed(atMs: number): boolean {
    return atMs >= this.#listedFromMs
  }

  /** Called for every drawing. */
  want(fromMs: number, nowMs: number): void {
    this.#noteRoll()
    const { live, mayAsk } = this.#options
    if (fromMs >= this.#listedFromMs || this.#isBusy || nowMs < this.#askAtMs) return
    if (live.windows.length >= MOST_WINDOWS || !mayAsk(nowMs)) return
    this.#isBusy = true
    void this.#ask()
      .catch(() => {
        this.#askAtMs = nowMs + AGAIN_MS
      })
      .finally(() => {
        this.#isBusy = false
      })
  }

  /** A page that slept has missed windows, so it reads the list again. */
  #noteRoll(): void {
    const [former, current] = this.#options.live.windows.slice(-2)
    const newest = current ?? former
    if (newest === undefined || newest.market === this.#newest) return
    this.#newest = newest.market
    if (former !== undefined && current !== undefined && former.toMs >= current.fromMs) return
    this.#listedFromMs = newest.fromMs
    this.#cursor = undefined
  }

  async #ask(): Promise<void> {
    const { live, fetchPage } = this.#options
    const newest = this.#newest
    const { markets, next } = await fetchPage(this.#cursor)
    if (newest !== this.#newest) return
    const windows = windowsOf(markets, live.windows.at(-1))
    live.addFormerWindows(windows)
    this.#cursor = next
    const oldestMs = Math.min(this.#listedFromMs, ...windows.map(({ fromMs }) => fromMs))
    this.#listedFromMs = next === undefined ? Number.NEGATIVE_INFINITY : oldestMs
  }
}

/** Those of before the window that is open; each as long as that one. */
function windowsOf(markets: readonly ListedMarket[], open: FeedWindow | undefined): FeedWindow[] {
  if (open === undefined || !Number.isFinite(open.toMs - open.fromMs)) return []
  const lengthMs = open.toMs - open.fromMs
  return markets
    .filter(({ endMs }) => endMs <= open.fromMs && (open.fromMs - endMs) % lengthMs === 0)
    .map(({ market, endMs }) => ({ market, fromMs: endMs - lengthMs, toMs: endMs }))
}

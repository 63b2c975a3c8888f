import type { HeatGap, HeatMapData } from '../views/heat-map/heat-map-data.ts'
import type { ShownTrade } from './stream/live-market.ts'

/** A market whose trades and gaps are shown for a time. */
interface PastPart {
  readonly market: string
  readonly fromMs: number
  readonly toMs: number
}

/** The newest trades first. */
export interface TradePage {
  readonly trades: readonly ShownTrade[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

interface PastOptions {
  readonly data: HeatMapData
  /** The oldest first. */
  readonly parts: () => readonly PastPart[]
  readonly fetchGaps: (part: PastPart, fromMs: number) => Promise<readonly HeatGap[]>
  readonly fetchTrades: (part: PastPart, cursor: string | undefined) => Promise<TradePage>
  readonly add: (trades: readonly ShownTrade[], gaps: readonly HeatGap[]) => void
  /** Whether all parts of this time are known. */
  readonly isListed: (atMs: number) => boolean
  readonly mayAsk: (nowMs: number) => boolean
  /** Whether no stream tells trades. */
  readonly isPolled: () => boolean
  readonly openedMs: number
}

/** One kind of past of one market. */
interface Progress {
  /** Everything since then is loaded. */
  fromMs: number
  cursor: string | undefined
  isBusy: boolean
  askAtMs: number
  waitMs: number
}

interface PartProgress {
  readonly gaps: Progress
  readonly trades: Progress
  /** When the newest trades are requested once more. */
  refreshAtMs: number
}

const MOST_AT_ONCE = 2
const AGAIN_MS = 5_000
const MOST_WAIT_MS = 30_000
/** Trades reach the list some seconds after they reach the stream. */
const REFRESH_MS = 10_000
const POLL_MS = 20_000
const HOUR_MS = 3_600_000
/** The longest time on a map. */
const GAPS_BACK_MS = 4 * HOUR_MS

/** Loads trades and gaps of before the page was opened, of the time that the map shows, the newest first. */
export class PastLoader {
  readonly #options: PastOptions
  readonly #parts = new Map<string, PartProgress>()
  #running = 0
  #hasFailed = false

  constructor(options: PastOptions) {
    this.#options = options
    options.data.unknownTrades = { beforeMs: options.openedMs, why: 'coming' }
  }

  /** Called for every drawing, so it has to be quick. */
  want(fromMs: number, toMs: number, nowMs: number): void {
    const parts = this.#options.parts().toReversed()
    for (const [index, part] of parts.entries()) {
      if (index > 0 && (part.fromMs >= toMs || part.toMs <= fromMs)) continue
      const progress = this.#progressOf(part)
      const neededMs = Math.max(fromMs, part.fromMs)
      if (progress.gaps.fromMs > neededMs) this.#askGaps(part, progress.gaps, neededMs, nowMs)
      if (progress.trades.fromMs > neededMs) this.#askTrades(part, progress, nowMs)
      else if (index === 0 && nowMs >= progress.refreshAtMs) this.#refreshTrades(part, progress, nowMs)
    }
  }

  #progressOf({ market }: PastPart): PartProgress {
    const known = this.#parts.get(market)
    if (known !== undefined) return known
    const nothing = (): Progress => ({ fromMs: Infinity, cursor: undefined, isBusy: false, askAtMs: 0, waitMs: 0 })
    const progress = { gaps: nothing(), trades: nothing(), refreshAtMs: Infinity }
    this.#parts.set(market, progress)
    return progress
  }

  #askGaps(part: PastPart, progress: Progress, neededMs: number, nowMs: number): void {
    const hourMs = Math.floor(neededMs / HOUR_MS) * HOUR_MS
    const fromMs = Math.max(part.fromMs, Math.min(hourMs, nowMs - GAPS_BACK_MS))
    this.#ask(progress, nowMs, async () => {
      const gaps = await this.#options.fetchGaps(part, fromMs)
      progress.fromMs = fromMs
      this.#options.add(
        [],
        gaps.flatMap((gap) => cutTo(part, gap)),
      )
    })
  }

  #askTrades(part: PastPart, progress: PartProgress, nowMs: number): void {
    const { data, fetchTrades } = this.#options
    if (data.isFullOfTrades) return
    const { trades } = progress
    this.#ask(trades, nowMs, async () => {
      const page = await fetchTrades(part, trades.cursor)
      if (trades.fromMs === Infinity) progress.refreshAtMs = nowMs + REFRESH_MS
      trades.cursor = page.next
      const oldest = page.trades.at(-1)
      // Trades of the same millisecond may be on the next page.
      trades.fromMs = page.next === undefined || oldest === undefined ? part.fromMs : oldest.atMs + 1
      this.#addTrades(part, page)
    })
  }

  #refreshTrades(part: PastPart, progress: PartProgress, nowMs: number): void {
    this.#ask(progress.trades, nowMs, async () => {
      this.#addTrades(part, await this.#options.fetchTrades(part, undefined))
      progress.refreshAtMs = this.#options.isPolled() ? nowMs + POLL_MS : Infinity
    })
  }

  #addTrades({ fromMs, toMs }: PastPart, { trades }: TradePage): void {
    this.#options.add(
      trades.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
      [],
    )
  }

  #ask(progress: Progress, nowMs: number, load: () => Promise<void>): void {
    if (progress.isBusy || nowMs < progress.askAtMs || this.#running >= MOST_AT_ONCE) return
    if (!this.#options.mayAsk(nowMs)) return
    progress.isBusy = true
    this.#running++
    load()
      .then(() => {
        progress.waitMs = 0
        this.#hasFailed = false
      })
      .catch(() => {
        progress.waitMs = Math.min(MOST_WAIT_MS, progress.waitMs * 2 || AGAIN_MS)
        progress.askAtMs = nowMs + progress.waitMs
        this.#hasFailed = true
      })
      .finally(() => {
        progress.isBusy = false
        this.#running--
        const { data } = this.#options
        data.unknownTrades = { beforeMs: this.#tradesFromMs(), why: this.#hasFailed ? 'failed' : 'coming' }
        data.changed()
      })
  }

  /** From now back to the first part that is not loaded as a whole. */
  #tradesFromMs(): number {
    const { parts, isListed, openedMs } = this.#options
    let knownMs = openedMs
    for (const part of parts().toReversed()) {
      if (part.toMs < knownMs && !isListed(part.toMs)) return knownMs
      const fromMs = this.#parts.get(part.market)?.trades.fromMs ?? Infinity
      if (fromMs === Infinity) return knownMs
      if (fromMs > part.fromMs) return fromMs
      knownMs = part.fromMs
    }
    return isListed(knownMs - 1) ? Number.NEGATIVE_INFINITY : knownMs
  }
}

function cutTo(part: PastPart, { fromMs, toMs, ...gap }: HeatGap): HeatGap[] {
  const cut = { fromMs: Math.max(fromMs, part.fromMs), toMs: Math.min(toMs, part.toMs) }
  return cut.fromMs < cut.toMs ? [{ ...gap, ...cut }] : []
}

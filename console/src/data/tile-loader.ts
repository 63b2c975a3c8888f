import type { HeatMap } from '@bookreel/sdk'
import { columnMsOf } from '../views/heat-map/detail-levels.ts'
import type { FailedTile, HeatMapData } from '../views/heat-map/heat-map-data.ts'

/** A market whose tiles are shown for a time. */
interface TilePart {
  readonly market: string
  readonly fromMs: number
  readonly toMs: number
}

interface LoaderOptions {
  readonly data: HeatMapData
  readonly parts: () => readonly TilePart[]
  readonly fetchTile: (market: string, fromMs: number, columnMs: number) => Promise<HeatMap>
  /** Whether all parts of this time are known; without it they are. */
  readonly isListed?: (atMs: number) => boolean
  /** Whether a request may be sent now; it then counts as sent. */
  readonly mayAsk?: (nowMs: number) => boolean
}

interface Asked {
  atMs: number
  waitMs: number
  isFinal: boolean
  isBusy: boolean
}

interface WantedTile {
  readonly part: TilePart
  readonly level: number
  readonly columnMs: number
  readonly atMs: number
  readonly nowMs: number
}

const TILE_COLUMNS = 256
/** Rows reach the tiles some seconds after they were recorded. */
const AGAIN_MS = 3_000
const ROWS_COME_WITHIN_MS = 10_000
const MOST_WAIT_MS = 60_000
/** After a failure. */
const MOST_FAILED_WAIT_MS = 12_000
const MOST_AT_ONCE = 4

/**
 * Loads the free tiles of what is on the screen, each once when it is final, and again while it has holes. One that
 * could not be loaded is marked on the map until it is, or until its columns came in another way.
 */
export class TileLoader {
  readonly #options: LoaderOptions
  readonly #asked = new Map<string, Asked>()
  readonly #failed = new Map<string, FailedTile>()
  #onScreen: ReadonlySet<string> = new Set()
  /** Up to which time a tile had everything that is recorded. */
  readonly #answered = new Map<string, number>()
  #running = 0

  constructor(options: LoaderOptions) {
    this.#options = options
    options.data.isAwaited = (level, fromMs, toMs) => this.#isAwaited(level, fromMs, toMs)
  }

  /** Called for every drawing, so it has to be quick. */
  want(level: number, fromMs: number, toMs: number, nowMs: number): void {
    const form = this.#options.data.levels[level]
    if (form === undefined) return
    const columnMs = columnMsOf(form)
    const tileMs = TILE_COLUMNS * columnMs
    const onScreen = new Set<string>()
    for (const part of this.#options.parts().toReversed()) {
      const last = Math.min(toMs, part.toMs, this.#options.data.nowMs || nowMs)
      const first = Math.floor(Math.max(fromMs, part.fromMs) / tileMs) * tileMs
      for (let atMs = first; atMs < last; atMs += tileMs) {
        onScreen.add(keyOf(part, columnMs, atMs))
        this.#wantTile({ part, level, columnMs, atMs, nowMs })
      }
    }
    this.#onScreen = onScreen
    this.#tellFailed()
  }

  /** Requests the tiles that failed again, as far as they are on the screen. */
  retry(): void {
    for (const key of this.#failed.keys()) this.#asked.delete(key)
    this.#failed.clear()
    this.#tellFailed()
  }

  #wantTile(tile: WantedTile): void {
    const { part, level, columnMs, atMs, nowMs } = tile
    const key = keyOf(part, columnMs, atMs)
    const asked = this.#asked.get(key)
    if (asked !== undefined && (asked.isBusy || asked.isFinal || nowMs < asked.atMs + asked.waitMs)) return
    if (this.#running >= MOST_AT_ONCE) return
    if (asked !== undefined && !this.#hasHoles(tile)) {
      asked.atMs = nowMs
      this.#failed.delete(key)
      return
    }
    if (this.#options.mayAsk?.(nowMs) === false) return
    const next = { atMs: nowMs, waitMs: Math.min(MOST_WAIT_MS, (asked?.waitMs ?? 0) * 2 || AGAIN_MS) }
    this.#asked.set(key, { ...next, isFinal: false, isBusy: true })
    this.#running++
    this.#options
      .fetchTile(part.market, atMs, columnMs)
      .then((answer) => {
        this.#options.data.addTile(level, answer, part)
        this.#answered.set(key, answer.is_final ? Number.POSITIVE_INFINITY : nowMs - ROWS_COME_WITHIN_MS)
        this.#asked.set(key, { ...next, isFinal: answer.is_final, isBusy: false })
        if (this.#failed.delete(key)) this.#tellFailed()
      })
      .catch((cause: unknown) => {
        const waitMs = Math.min(next.waitMs, MOST_FAILED_WAIT_MS)
        this.#asked.set(key, { ...next, waitMs, isFinal: false, isBusy: false })
        // A map that does not move is drawn, and its tiles are wanted, only after a change.
        setTimeout(() => this.#options.data.changed(), waitMs)
        const error = cause instanceof Error ? cause : new Error(String(cause))
        const fromMs = Math.max(atMs, part.fromMs)
        const toMs = Math.min(atMs + TILE_COLUMNS * columnMs, part.toMs)
        this.#failed.set(key, { level, fromMs, toMs, error })
        this.#tellFailed()
      })
      .finally(() => {
        this.#running--
      })
  }

  #isAwaited(level: number, fromMs: number, toMs: number): boolean {
    const { data, parts, isListed } = this.#options
    const form = data.levels[level]
    if (form === undefined || (data.nowMs > 0 && fromMs >= data.nowMs)) return false
    if (isListed?.(fromMs) === false) return true
    const columnMs = columnMsOf(form)
    const tileMs = TILE_COLUMNS * columnMs
    return parts().some((part) => {
      if (part.fromMs >= toMs || part.toMs <= fromMs) return false
      const key = keyOf(part, columnMs, Math.floor(fromMs / tileMs) * tileMs)
      return fromMs >= (this.#answered.get(key) ?? Number.NEGATIVE_INFINITY)
    })
  }

  /** Only what is on the screen is requested again, so the failure of another tile would be told for ever. */
  #tellFailed(): void {
    const { data } = this.#options
    const told = [...this.#failed].flatMap(([key, tile]) => (this.#onScreen.has(key) ? [tile] : []))
    if (told.length === data.failedTiles.length && told.every((tile, index) => tile === data.failedTiles[index])) return
    data.failedTiles = told
    data.changed()
  }

  /** Whether a column of the tile is not known as a whole, although its time is over. */
  #hasHoles({ part, level, columnMs, atMs, nowMs }: WantedTile): boolean {
    const { data } = this.#options
    const ring = data.rings[level]
    const form = data.levels[level]
    if (ring === undefined || form === undefined) return false
    const endMs = Math.min(atMs + TILE_COLUMNS * columnMs, part.toMs, (data.nowMs || nowMs) - columnMs)
    for (let number = Math.ceil(Math.max(atMs, part.fromMs) / columnMs); (number + 1) * columnMs <= endMs; number++) {
      const place = ring.placeOf(number)
      const expected = place === undefined ? 0 : (ring.expected[place] ?? 0)
      if (place === undefined || expected < form.slotsPerColumn) return true
      const lacking = expected - (ring.stored[place] ?? 0)
      if (lacking > 0 && lacking > missingSlotsIn(data, form.intervalMs, number * columnMs, (number + 1) * columnMs))
        return true
    }
    return false
  }
}

/** Number of slots without a row for which a cause is known. */
function missingSlotsIn(data: HeatMapData, intervalMs: number, fromMs: number, toMs: number): number {
  const missing = data.gapsBetween(fromMs, toMs).filter(({ kind }) => kind === 'missing')
  let slots = 0
  for (let atMs = fromMs; atMs < toMs; atMs += intervalMs)
    if (missing.some((gap) => atMs >= gap.fromMs && atMs < gap.toMs)) slots++
  return slots
}

function keyOf({ market }: TilePart, columnMs: number, fromMs: number): string {
  return `${market} ${columnMs} ${fromMs}`
}

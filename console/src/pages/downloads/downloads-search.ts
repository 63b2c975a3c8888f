export const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities'] as const
type Category = (typeof CATEGORIES)[number]
export const VENUES = ['polymarket', 'kalshi'] as const
type Venue = (typeof VENUES)[number]
export const PRODUCTS = ['hours', 'snapshots', 'bars', 'trades'] as const
export const TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d'] as const
/** Also a coin that is not recorded: then the service says so. */
const COIN = /^[a-z0-9]{1,16}$/i
type Product = (typeof PRODUCTS)[number]
export const SIDES = ['UP', 'DOWN'] as const
export const INTERVALS = ['1s', '1m', '1h'] as const

/** The view of the page, as its address has it. A part that is left out has its usual value. */
export interface DownloadsSearch {
  readonly product?: Product
  /** Ids of markets, separated by commas. */
  readonly markets?: string
  readonly coin?: string
  readonly timeframe?: string
  readonly category?: Category
  /** Of a series or a category; left out for every venue. */
  readonly venue?: Venue
  /** Token of the bars. */
  readonly side?: (typeof SIDES)[number]
  /** Length of the bars. */
  readonly interval?: (typeof INTERVALS)[number]
  readonly from?: string
  readonly to?: string
  /** Files of the list that this browser has already got. */
  readonly done?: number
}

/** Reads the view from the address; a wrong value becomes the usual one. */
export function readDownloadsSearch(search: Record<string, unknown>): DownloadsSearch {
  const product = PRODUCTS.find((each) => each === search.product)
  const category = CATEGORIES.find((each) => each === search.category)
  const timeframe = TIMEFRAMES.find((each) => each === search.timeframe)
  const venue = VENUES.find((each) => each === search.venue)
  const side = SIDES.find((each) => each === search.side)
  const interval = INTERVALS.find((each) => each === search.interval)
  const from = timeOf(search.from)
  const to = timeOf(search.to)
  const done = typeof search.done === 'number' && Number.isSafeInteger(search.done) && search.done > 0 && search.done
  return {
    ...(product !== undefined && { product }),
    ...(typeof search.markets === 'string' && search.markets !== '' && { markets: validIds(search.markets) }),
    ...(typeof search.coin === 'string' && COIN.test(search.coin) && { coin: search.coin }),
    ...(timeframe !== undefined && { timeframe }),
    ...(category !== undefined && { category }),
    ...(venue !== undefined && { venue }),
    ...(side !== undefined && { side }),
    ...(interval !== undefined && { interval }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(done !== false && { done }),
  }
}

/** A comma alone: single markets, of which none is chosen yet. */
function validIds(markets: string): string {
  return idsOf(markets).filter(isMarketId).join(',') || ','
}

/** The id of a market of any venue. */
export function isMarketId(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text)
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined
}

export type Choice =
  | { readonly by: 'series'; readonly coin: string; readonly timeframe: string; readonly venue?: Venue }
  | { readonly by: 'markets'; readonly ids: readonly string[] }
  | { readonly by: 'category'; readonly category: Category; readonly venue?: Venue }

/** What is downloaded, and of which time. */
export interface Selection {
  readonly product: Product
  readonly choice: Choice
  readonly fromMs: number
  readonly toMs: number
}

const HOUR_MS = 3_600_000
/** The file of an hour is available this long after its end. */
const FINISHED_AFTER_MS = 300_000

/** End of the newest hour whose files are available. */
export function finishedUntilMs(nowMs: number): number {
  return Math.floor((nowMs - FINISHED_AFTER_MS) / HOUR_MS) * HOUR_MS
}

export function selectionOf(search: DownloadsSearch, nowMs: number): Selection {
  const untilMs = finishedUntilMs(nowMs)
  return {
    product: search.product ?? 'hours',
    choice: choiceOf(search),
    fromMs: search.from === undefined ? untilMs - HOUR_MS : Date.parse(search.from),
    toMs: search.to === undefined ? untilMs : Date.parse(search.to),
  }
}

function choiceOf({ markets, category, coin = 'BTC', timeframe = '5m', venue }: DownloadsSearch): Choice {
  const ofVenue = venue === undefined ? {} : { venue }
  if (markets !== undefined) return { by: 'markets', ids: idsOf(markets) }
  if (category !== undefined) return { by: 'category', category, ...ofVenue }
  return { by: 'series', coin, timeframe, ...ofVenue }
}

/** Without repetitions, in the order in which they were chosen. */
export function idsOf(markets: string): string[] {
  const ids = markets.split(',').map((id) => id.trim())
  return [...new Set(ids.filter((id) => id !== ''))]
}

/** 2026-11-15T12:00:00Z */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

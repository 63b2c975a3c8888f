import { COINS } from './market.ts'

/** The timeframes of up/down windows. */
export const WINDOW_TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d'] as const
/** Whether a market is an up/down window of a coin. */
export function isWindow({ category, timeframe }: { readonly category: string; readonly timeframe: string }): boolean {
  return category === 'crypto' && WINDOW_TIMEFRAMES.some((each) => each === timeframe)
}

type WindowTimeframe = (typeof WINDOW_TIMEFRAMES)[number]

/** A market that a slug may mean. `coin` for crypto markets only. */
export interface SlugCandidate {
  readonly marketId: string
  readonly venue: string
  readonly slug: string
  readonly coin?: string
  readonly timeframe: string
  readonly startsAtMs?: number
  readonly endsAtMs: number
}

/** An up/down window by coin and timeframe; without a time, the current window is meant. */
export interface WindowRequest {
  readonly coin: string
  readonly timeframe: WindowTimeframe
  readonly atMs?: number
}

/** Coin and timeframe in a slug; results must not contradict them. */
export interface SlugClaims {
  readonly coin?: string
  readonly timeframe?: string
  /** The slug has the up/down form, so only windows match. */
  readonly isWindow: boolean
}

const WINDOW_FORM = /^([a-z0-9]+)-updown-(5m|15m|1h|4h|1d)(?:-(.*))?$/
const UP_DOWN = /^([a-z0-9]+)-(?:updown|up-or-down)(?:-|$)/
const LENGTH = /^\d+[smhdw]$/
const LONGEST_SLUG = 300
/** Smaller numbers are seconds (until the year 2286), larger ones milliseconds (since 1973). */
const FIRST_MILLISECONDS = 100_000_000_000
const NO_WINDOW_FROM_MS = Date.UTC(2100, 0, 1)

/** Names that venues use in slugs instead of the symbol. */
const COIN_NAMES: Readonly<Record<string, string>> = {
  bitcoin: 'BTC',
  ethereum: 'ETH',
  solana: 'SOL',
  ripple: 'XRP',
  dogecoin: 'DOGE',
  hyperliquid: 'HYPE',
  zcash: 'ZEC',
}
const COIN_WORDS = new Map([
  ...COINS.map((coin): [string, string] => [coin.toLowerCase(), coin]),
  ...Object.entries(COIN_NAMES),
])

/** Lower-case letters, digits and points, joined by single hyphens; idempotent. */
export function normaliseSlug(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-|-$/g, '')
}

/** Parses `<coin>-updown-<timeframe>` with an optional suffix; undefined for other forms. */
export function windowRequestIn(slug: string): WindowRequest | undefined {
  const [, word, length, rest] = WINDOW_FORM.exec(slug) ?? []
  const timeframe = WINDOW_TIMEFRAMES.find((each) => each === length)
  if (word === undefined || timeframe === undefined) return undefined
  const atMs = momentIn(rest ?? '')
  return { coin: coinOf(word), timeframe, ...(atMs !== undefined && { atMs }) }
}

/** The series that a slug such as `btc-updown-5m` names; undefined for the slug of one window. */
export function seriesIn(slug: string): WindowRequest | undefined {
  const [, , , rest] = WINDOW_FORM.exec(slug) ?? []
  return rest === undefined ? windowRequestIn(slug) : undefined
}

export function claimsIn(slug: string): SlugClaims {
  const words = slug.split('-')
  const upDownWord = UP_DOWN.exec(slug)?.[1]
  const coin = upDownWord === undefined ? words.map((word) => COIN_WORDS.get(word)).find(Boolean) : coinOf(upDownWord)
  const timeframe = words.find((word) => LENGTH.test(word))
  const isWindow = upDownWord !== undefined
  return { ...(coin !== undefined && { coin }), ...(timeframe !== undefined && { timeframe }), isWindow }
}

export function contradicts(claims: SlugClaims, candidate: SlugCandidate): boolean {
  const isWindow = candidate.coin !== undefined && WINDOW_TIMEFRAMES.some((each) => each === candidate.timeframe)
  if (claims.isWindow && !isWindow) return true
  if (claims.coin !== undefined && candidate.coin !== undefined && candidate.coin !== claims.coin) return true
  return isWindow && claims.timeframe !== undefined && candidate.timeframe !== claims.timeframe
}

function coinOf(word: string): string {
  return COIN_WORDS.get(word) ?? word.toUpperCase()
}

/** Parses epoch seconds or milliseconds; undefined for other texts and for times that no window can have. */
function momentIn(text: string): number | undefined {
  if (!/^\d+$/.test(text)) return undefined
  const value = Number(text)
  const atMs = value < FIRST_MILLISECONDS ? value * 1_000 : value
  return atMs < NO_WINDOW_FROM_MS ? atMs : undefined
}

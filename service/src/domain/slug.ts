import { COINS } from './market.ts'

/** The lengths of the up/down windows, as callers write them. */
export const WINDOW_TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d'] as const
type WindowTimeframe = (typeof WINDOW_TIMEFRAMES)[number]

/** A market that a slug may mean. `coin` for crypto markets only. */
export interface SlugCandidate {
  readonly marketId: string
  readonly slug: string
  readonly coin?: string
  readonly timeframe: string
  readonly startsAtMs?: number
  readonly endsAtMs: number
}

/** An up/down window asked for by coin and length, and by a moment unless the current one is meant. */
export interface WindowRequest {
  readonly coin: string
  readonly timeframe: WindowTimeframe
  readonly atMs?: number
}

/** What a slug says of coin and length, whatever else it says; nothing that contradicts it may be the answer. */
export interface SlugClaims {
  readonly coin?: string
  readonly timeframe?: string
  /** It has the form of an up/down slug: nothing else than a window is meant. */
  readonly isWindow: boolean
}

const WINDOW_FORM = /^([a-z0-9]+)-updown-(5m|15m|1h|4h|1d)(?:-(.*))?$/
const UP_DOWN = /^([a-z0-9]+)-(?:updown|up-or-down)(?:-|$)/
const LENGTH = /^\d+[smhdw]$/
const LONGEST_SLUG = 300
/** Of 2286 in seconds and 1973 in milliseconds: which of the two a whole number is can't be mistaken. */
const FIRST_MILLISECONDS = 100_000_000_000

/** The words that venues use in slugs instead of the symbol. */
const COIN_NAMES: Readonly<Record<string, string>> = {
  bitcoin: 'BTC',
  ethereum: 'ETH',
  solana: 'SOL',
  ripple: 'XRP',
  dogecoin: 'DOGE',
  hyperliquid: 'HYPE',
}
const COIN_WORDS = new Map([
  ...COINS.map((coin): [string, string] => [coin.toLowerCase(), coin]),
  ...Object.entries(COIN_NAMES),
])

/** Plain letters, digits and points in words joined by single hyphens; doing it twice changes nothing. */
export function normaliseSlug(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-|-$/g, '')
}

/** `<coin>-updown-<length>` with anything or nothing after it; undefined when it is something else. */
export function windowRequestIn(slug: string): WindowRequest | undefined {
  const [, word, length, rest] = WINDOW_FORM.exec(slug) ?? []
  const timeframe = WINDOW_TIMEFRAMES.find((each) => each === length)
  if (word === undefined || timeframe === undefined) return undefined
  const atMs = momentIn(rest ?? '')
  return { coin: coinOf(word), timeframe, ...(atMs !== undefined && { atMs }) }
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

/** Epoch seconds or milliseconds; any other text says no moment. */
function momentIn(text: string): number | undefined {
  if (!/^\d{9,15}$/.test(text)) return undefined
  const value = Number(text)
  return value < FIRST_MILLISECONDS ? value * 1_000 : value
}

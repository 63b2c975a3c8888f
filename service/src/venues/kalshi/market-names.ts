import { hash } from 'node:crypto'

/** What a market and its two tokens are called outside the code of this venue, which itself only knows tickers. */
export interface MarketNames {
  readonly marketId: string
  readonly yesTokenId: string
  readonly noTokenId: string
}

export const VENUE = 'kalshi'
export const TICKER = /^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$/
const TOKEN_ID = /^([A-Za-z0-9][A-Za-z0-9.-]{0,99}):(?:yes|no)$/
const MOST_KNOWN = 20_000

const known = new Map<string, MarketNames>()

/** A busy market has hundreds of frames a second, so its id is hashed once. */
export function namesOf(ticker: string): MarketNames {
  const found = known.get(ticker)
  if (found !== undefined) return found
  const names = { marketId: idOf(ticker), yesTokenId: `${ticker}:yes`, noTokenId: `${ticker}:no` }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(ticker, names)
  return names
}

/** Undefined for a token of another venue. */
export function tickerOf(tokenId: string): string | undefined {
  return TOKEN_ID.exec(tokenId)?.[1]
}

/** The tickers of these tokens, each once. */
export function tickersOf(tokenIds: readonly string[]): string[] {
  return [...new Set(tokenIds.flatMap((tokenId) => tickerOf(tokenId) ?? []))]
}

export function groupIdOf(eventTicker: string): string {
  return idOf(`event:${eventTicker}`)
}

function idOf(name: string): string {
  return `0x${hash('sha256', `${VENUE}:${name}`)}`
}

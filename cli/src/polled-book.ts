import { setTimeout as sleep } from 'node:timers/promises'
import type { Bookreel, GetExchangeOrderbookQuery, TokenBook } from '@bookreel/sdk'
import { type MarketReference, slugOf, venueOf } from './market-reference.ts'
import { checkWindow, type OnOtherWindow } from './other-window.ts'
import type { Level, ShownBook } from './render/ladder.ts'

/** The book that the user selected. */
export interface SelectedBook {
  readonly reference: MarketReference
  /** The market argument as the user typed it. */
  readonly text: string
  readonly side: 'UP' | 'DOWN'
}

const POLL_EVERY_MS = 2_000

/** Fetches the current book with one REST request. */
export async function fetchBook(
  client: Bookreel,
  { reference, text, side }: SelectedBook,
  onOtherWindow: OnOtherWindow,
): Promise<ShownBook> {
  if (reference.kind === 'perp') return fetchPerpBook(client, reference.symbol)
  const requested = slugOf(reference, text)
  const market = await client.markets.orderbookBySlug(requested, venueOf(reference))
  checkWindow(requested, market, onOtherWindow)
  const token: TokenBook = side === 'UP' ? market.up : market.down
  return {
    title: market.question,
    name: market.slug,
    side,
    bids: levelsOf(token.bids),
    asks: levelsOf(token.asks),
    capturedAt: token.captureTimestamp,
    seq: token.sequenceNumber,
    isVerified: isVerified(token.flags),
    proof: token.proof,
    doubt: market.stale ? 'gap' : undefined,
    spot: market.crypto_price === 0 ? undefined : market.crypto_price,
    endsAt: undefined,
  }
}

/** Does not report another window, because the lookup for the stream has reported it. */
export async function pollBooks(
  client: Bookreel,
  selected: SelectedBook,
  onBook: (book: ShownBook) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    onBook(await fetchBook(client, selected, () => {}))
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function fetchPerpBook(client: Bookreel, symbol: string): Promise<ShownBook> {
  const coin = symbol as GetExchangeOrderbookQuery['symbol']
  const book = await client.exchange.orderbook({ symbol: coin, exchange: 'hyperliquid_perp' })
  return {
    title: `${book.symbol} perpetual future`,
    name: book.exchange,
    side: '',
    bids: book.bids,
    asks: book.asks,
    capturedAt: Date.parse(book.timestamp),
    seq: book.sequence_number,
    isVerified: undefined,
    proof: book.proof,
    doubt: undefined,
    spot: undefined,
    endsAt: undefined,
  }
}

/** Undefined where no hash says that the book is equal, and nothing says that it may not be. */
export function isVerified(flags: readonly string[], suffix = ''): boolean | undefined {
  return flags.includes(`verified${suffix}`) || (flags.includes(`unverified${suffix}`) ? false : undefined)
}

function levelsOf(levels: TokenBook['bids'] = []): Level[] {
  return levels.map(({ price, size }) => [price, size])
}

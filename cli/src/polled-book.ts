import { setTimeout as sleep } from 'node:timers/promises'
import type { Bookreel, GetExchangeOrderbookQuery, TokenBook } from '@bookreel/sdk'
import { type MarketReference, slugOf } from './market-reference.ts'
import type { Level, ShownBook } from './render/ladder.ts'

/** Which book is looked at. */
export interface Shown {
  readonly reference: MarketReference
  /** As it was typed. */
  readonly text: string
  readonly side: 'UP' | 'DOWN'
}

const ASK_EVERY_MS = 2_000

/** The book of this moment, by one question. */
export async function askBook(client: Bookreel, { reference, text, side }: Shown): Promise<ShownBook> {
  if (reference.kind === 'perp') return askPerp(client, reference.symbol)
  const market = await client.markets.orderbookBySlug(slugOf(reference, text))
  const token: TokenBook = side === 'UP' ? market.up : market.down
  return {
    title: market.question,
    name: market.slug,
    side,
    bids: levelsOf(token.bids),
    asks: levelsOf(token.asks),
    capturedAt: token.captureTimestamp,
    seq: token.sequenceNumber,
    isVerified: token.flags.includes('verified'),
    doubt: market.stale ? 'gap' : undefined,
    spot: market.crypto_price === 0 ? undefined : market.crypto_price,
    endsAt: undefined,
  }
}

export async function pollBooks(
  client: Bookreel,
  shown: Shown,
  onBook: (book: ShownBook) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    onBook(await askBook(client, shown))
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function askPerp(client: Bookreel, symbol: string): Promise<ShownBook> {
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
    doubt: undefined,
    spot: undefined,
    endsAt: undefined,
  }
}

function levelsOf(levels: TokenBook['bids'] = []): Level[] {
  return levels.map(({ price, size }) => [price, size])
}

import { BookKeeper, type Bookreel, type KeptMarket, type Selector, type SingleMarket } from '@bookreel/sdk'
import { findMarket, venueOf } from './market-reference.ts'
import type { OnOtherWindow } from './other-window.ts'
import { isVerified, type SelectedBook } from './polled-book.ts'
import type { ShownBook } from './render/ladder.ts'
import { shortId } from './render/text.ts'

/** A coin and timeframe also selects later windows. */
export async function bookSelector(
  client: Bookreel,
  { reference, text }: SelectedBook,
  onOtherWindow: OnOtherWindow,
): Promise<Selector> {
  if (reference.kind === 'window')
    return { coin: reference.coin, timeframe: reference.timeframe, ...venueOf(reference) }
  if (reference.kind === 'perp') return { symbol: reference.symbol }
  return { market: (await findMarket(client, text, onOtherWindow)).id }
}

/** Calls `onBook` for every book of the stream. */
export async function streamBooks(
  client: Bookreel,
  selected: SelectedBook,
  selector: Selector,
  onBook: (book: ShownBook) => void,
): Promise<void> {
  const keeper = new BookKeeper()
  const details = new MarketDetails(client)
  let current: KeptMarket | undefined
  for await (const event of client.stream({ selectors: [selector], channels: ['book', 'status'] })) {
    current = keeper.apply(event) ?? current
    if (current !== undefined) onBook(bookOf(current, selected, details.of(current.market)))
  }
}

function bookOf(market: KeptMarket, { reference, side }: SelectedBook, facts: SingleMarket | undefined): ShownBook {
  const isPerp = reference.kind === 'perp'
  const { bids, asks } = isPerp ? market.book : side === 'UP' ? market.up : market.down
  const { flags, proof, spot, seq, captured_at: capturedAt } = market.frame
  return {
    title: isPerp ? `${reference.symbol} perpetual future` : (facts?.question ?? ''),
    name: facts?.slug ?? shortId(market.market),
    side: isPerp ? '' : side,
    bids: [...bids],
    asks: [...asks],
    capturedAt,
    seq,
    isVerified: isVerified(flags, side === 'UP' ? '_up' : '_down'),
    proof,
    doubt: market.doubt,
    spot: spot?.price,
    endsAt: facts === undefined ? undefined : Date.parse(facts.end_date),
  }
}

/** Looks up each market once, in the background, so that books are shown without waiting for the lookup. */
class MarketDetails {
  readonly #client: Bookreel
  readonly #known = new Map<string, SingleMarket | undefined>()

  constructor(client: Bookreel) {
    this.#client = client
  }

  of(market: string): SingleMarket | undefined {
    if (!this.#known.has(market) && market.startsWith('0x')) {
      this.#known.set(market, undefined)
      this.#client.markets.get(market).then(
        (facts) => this.#known.set(market, facts),
        () => {},
      )
    }
    return this.#known.get(market)
  }
}

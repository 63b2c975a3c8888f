import type { CoinSymbol } from './market.ts'

/**
 * Where a price of a coin comes from. They are recorded beside each other and never merged: `binance` is the middle of
 * best bid and ask of the spot pair with USDT, `chainlink` the spot price in USD, `twap60` the mean of the latter over
 * 60 s.
 */
export const PRICE_SOURCES = ['binance', 'chainlink', 'twap60'] as const
export type PriceSource = (typeof PRICE_SOURCES)[number]

/** What the prices of a source are, for readers of the API. */
export const PRICE_KINDS: Readonly<Record<PriceSource, { readonly kind: 'spot' | 'average'; readonly about: string }>> =
  {
    binance: { kind: 'spot', about: 'middle of best bid and ask of the spot pair with USDT' },
    chainlink: { kind: 'spot', about: 'the spot price in USD that settles most crypto windows' },
    twap60: { kind: 'average', about: 'the mean of chainlink over 60 seconds, which settles the short windows' },
  }

/** The reference price of a coin is the first of these that is fresh. An average is not a spot price. */
export const REFERENCE_SOURCES = ['binance', 'chainlink'] as const satisfies readonly PriceSource[]
export type ReferenceSource = (typeof REFERENCE_SOURCES)[number]

/** An older price is not used as the present one. */
export const MAX_PRICE_AGE_MS: Readonly<Record<PriceSource, number>> = {
  binance: 30_000,
  chainlink: 30_000,
  twap60: 30_000,
}

/** The prices of one source and coin. */
export interface PriceSeries {
  readonly source: PriceSource
  readonly coin: CoinSymbol
}

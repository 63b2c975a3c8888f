import type { Assumption } from '../assumption.ts'

export const SPOT_ASSUMPTIONS = {
  'pairs-listed': {
    says: 'Binance trades the USDT pair of every recorded coin except HYPE.',
    isRelied: true,
    counts: 'coins',
  },
  'unknown-pair': {
    says: 'exchangeInfo answers 400 for a pair that does not exist.',
    isRelied: true,
    counts: 'requests',
  },
  acknowledged: {
    says: 'SUBSCRIBE is answered with result null and the id of the request.',
    isRelied: false,
    counts: 'subscribes',
  },
  'book-tickers': {
    says: 'The stream bookTicker brings best bid and ask of every listed pair within 10 s.',
    isRelied: true,
    counts: 'pairs',
  },
  'update-ids': {
    says: 'The update id of a pair never falls.',
    isRelied: false,
    counts: 'tickers',
    mostAgainst: 0.001,
  },
  'price-socket': {
    says: 'The price socket of Polymarket (RTDS) can be opened.',
    isRelied: true,
    counts: 'sockets',
  },
  'chainlink-prices': {
    says: 'The topic crypto_prices_chainlink without filters brings a price of every recorded coin.',
    isRelied: true,
    counts: 'coins',
  },
  'twap-prices': {
    says: 'The topic crypto_prices_twap_sixty without filters brings a price of every recorded coin.',
    isRelied: true,
    counts: 'coins',
  },
  'price-every-second': {
    says: 'Chainlink prices and their means come at least every 5 s.',
    isRelied: true,
    counts: 'series',
  },
  'price-times': {
    says: 'Chainlink prices and their means arrive within 10 s of their time.',
    isRelied: true,
    counts: 'prices',
    mostAgainst: 0.02,
  },
  'sources-agree': {
    says: 'The prices of Binance and Chainlink differ by less than 1 %.',
    isRelied: true,
    counts: 'coins',
  },
  'known-frames': {
    says: 'Every frame of both sockets is of a known topic, type or stream.',
    isRelied: false,
    counts: 'frames',
  },
  'known-values': {
    says: 'Every price can be decoded: value and full_accuracy_value agree, and times have the form that we know.',
    isRelied: true,
    counts: 'frames',
  },
} as const satisfies Record<string, Assumption>

export type SpotAssumption = keyof typeof SPOT_ASSUMPTIONS

import type { Assumption } from '../assumption.ts'

export const HYPERLIQUID_ASSUMPTIONS = {
  'coins-listed': {
    says: 'REST meta lists every recorded coin by its plain symbol, and none of them as delisted.',
    isRelied: true,
    counts: 'coins',
  },
  acknowledged: {
    says: 'Each subscribe is answered on the channel subscriptionResponse.',
    isRelied: false,
    counts: 'subscribes',
  },
  'whole-books': {
    says: 'A subscribe of l2Book brings books with 20 levels a side, best price first, for every coin.',
    isRelied: true,
    counts: 'books',
    mostAgainst: 0.02,
  },
  'book-times': {
    says: 'Whole books come at least every 15 s, each with a newer time than the one before.',
    isRelied: true,
    counts: 'books',
    mostAgainst: 0.1,
  },
  'fast-books': {
    says: 'A subscribe with fast brings books that say fast, at least every 3 s for every coin.',
    isRelied: true,
    counts: 'coins',
  },
  'best-prices': {
    says: 'The channel bbo brings the best bid and ask of every coin.',
    isRelied: true,
    counts: 'coins',
  },
  heartbeat: {
    says: 'The ping is answered with {"channel":"pong"} within 10 s.',
    isRelied: true,
    counts: 'sockets',
  },
  'frames-on-time': {
    says: 'Whole books arrive within 5 s of their time.',
    isRelied: true,
    counts: 'books',
    mostAgainst: 0.05,
  },
  'rest-books': {
    says: 'The REST book of a coin has 20 levels a side and is less than 5 s old.',
    isRelied: true,
    counts: 'REST books',
    mostAgainst: 0.1,
  },
  'rest-unknown-coin': {
    says: 'The REST book of an unknown coin is null.',
    isRelied: true,
    counts: 'requests',
  },
  'unknown-coin-closes': {
    says: 'A subscribe of an unknown coin closes the whole socket without a message.',
    isRelied: false,
    counts: 'sockets',
  },
  'stays-open': {
    says: 'Two sockets with all recorded coins stay open.',
    isRelied: true,
    counts: 'sockets',
  },
  'known-frames': {
    says: 'Every frame is of a known channel.',
    isRelied: false,
    counts: 'frames',
  },
  'known-values': {
    says: 'Every book and best price can be decoded: prices, sizes, counts and times have the form that we know.',
    isRelied: true,
    counts: 'frames',
  },
} as const satisfies Record<string, Assumption>

export type HyperliquidAssumption = keyof typeof HYPERLIQUID_ASSUMPTIONS

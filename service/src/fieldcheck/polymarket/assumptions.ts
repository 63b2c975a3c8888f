import type { Assumption } from '../assumption.ts'

const SOCKET = {
  'first-book': {
    says: 'A subscribe brings the whole book of every token within 5 s.',
    isRelied: true,
    counts: 'tokens',
  },
  'first-book-inputs': {
    says: 'The first book of a token states its tick size and its last trade price, which are parts of the hash.',
    isRelied: true,
    counts: 'first books',
  },
  'further-subscribe': {
    says: 'A later subscribe on the same socket brings the books of the added tokens.',
    isRelied: true,
    counts: 'tokens',
  },
  'repeated-subscribe': {
    says: 'A subscribe of tokens that the socket already has is answered with the text NO NEW ASSETS.',
    isRelied: true,
    counts: 'repeated subscribes',
  },
  'subscribe-again': {
    says: 'An unsubscribe, and a subscribe 250 ms later, bring whole books again.',
    isRelied: true,
    counts: 'tokens',
  },
  unsubscribe: {
    says: 'Changes of a token stop within 2 s after its unsubscribe.',
    isRelied: true,
    counts: 'unsubscribed markets',
  },
  'tokens-per-frame': {
    says: 'One subscribe frame may name 500 tokens.',
    isRelied: true,
    counts: 'tokens',
    mostAgainst: 0.1,
  },
  'custom-events': {
    says: 'A subscribe with custom_feature_enabled brings best_bid_ask, new_market and market_resolved.',
    isRelied: true,
    counts: 'sockets',
  },
  'custom-events-last': {
    says: 'A later subscribe without custom_feature_enabled switches these events off for the whole socket.',
    isRelied: false,
    counts: 'sockets',
  },
  'only-subscribed': {
    says: 'A socket delivers changes, trades and books of its own markets only.',
    isRelied: false,
    counts: 'frames',
    mostAgainst: 0.001,
  },
  heartbeat: {
    says: 'The text PING is answered with PONG within 30 s.',
    isRelied: true,
    counts: 'sockets',
  },
  'stays-open': {
    says: 'A socket with the traffic that the recorder gives it is not closed as a slow consumer (code 1013).',
    isRelied: true,
    counts: 'sockets',
  },
  'frames-on-time': {
    says: 'Changes arrive within 2 s of their timestamp.',
    isRelied: true,
    counts: 'sockets',
  },
  'known-frames': {
    says: 'Every frame is JSON of a known event type, PONG, or one of three known texts.',
    isRelied: false,
    counts: 'frames',
  },
  'known-keys': {
    says: 'Events have no keys besides those that we know.',
    isRelied: false,
    counts: 'frames',
  },
  'known-values': {
    says: 'Every event can be decoded: prices, sizes, ids, hashes and times have the form that we know.',
    isRelied: true,
    counts: 'frames',
  },
} as const satisfies Record<string, Assumption>

const BOOKS = {
  'hash-rule': {
    says: 'The hash of a book is the SHA-1 of its JSON text by one of the rules that the recorder knows.',
    isRelied: true,
    counts: 'whole books',
  },
  'hash-of-changes': {
    says: 'A book with all changes applied has the hash that the changes carry.',
    isRelied: true,
    counts: 'checks',
    mostAgainst: 0.02,
  },
  'both-tokens': {
    says: 'One price_change frame has the change of both tokens of the market.',
    isRelied: true,
    counts: 'price_change frames',
    mostAgainst: 0.01,
  },
  'best-prices': {
    says: 'best_bid and best_ask of a change are the best prices of the book with this hash.',
    isRelied: true,
    counts: 'changes',
    mostAgainst: 0.01,
  },
  'trade-announced': {
    says: 'The whole books that follow a trade come with a last_trade_price at most 2 s apart.',
    isRelied: true,
    counts: 'whole books after trades',
    mostAgainst: 0.1,
    seldom: 'needs trades in the followed markets',
  },
  'rest-book': {
    says: 'The REST book has the hash and the levels of a state that the socket sends at most 2 s apart.',
    isRelied: true,
    counts: 'REST books',
    mostAgainst: 0.05,
  },
  'rest-unknown-token': {
    says: 'POST /books leaves out tokens that it does not know, and answers for the others.',
    isRelied: true,
    counts: 'requests',
  },
} as const satisfies Record<string, Assumption>

const CATALOGUE = {
  'window-slugs': {
    says: 'Every listed crypto window that is open now is found by the slug that the recorder computes.',
    isRelied: true,
    counts: 'open windows',
  },
  'list-filters': {
    says: 'Lists of events honour tag_id, end_date_min, end_date_max and closed=false.',
    isRelied: true,
    counts: 'listed events',
    mostAgainst: 0.01,
  },
  'list-pages': {
    says: 'after_cursor gives the next page of a list, without events of the page before.',
    isRelied: true,
    counts: 'pages',
  },
  'lists-filled': {
    says: 'The tags and searches by which the recorder finds markets list at least one event.',
    isRelied: true,
    counts: 'lists',
  },
  'listed-markets': {
    says: 'Listed markets have condition id, two token ids, two outcomes, version and end in the form that we know.',
    isRelied: true,
    counts: 'listed markets',
    mostAgainst: 0.01,
  },
  'sports-series': {
    says: '/sports names the series of the recorded leagues.',
    isRelied: true,
    counts: 'answers',
  },
  'more-markets': {
    says: 'The slug of a game with -more-markets gives the event with its further markets, or 404.',
    isRelied: true,
    counts: 'games with further markets',
    seldom: 'needs a soccer game within the next days',
  },
  recurrence: {
    says: 'The recurrence of a crypto series does not tell its length: some say daily and are not.',
    isRelied: false,
    counts: 'lists of crypto windows',
    seldom: 'needs at least twelve series',
  },
  clock: {
    says: 'The clock of this machine and that of the venue differ by less than 2 s.',
    isRelied: true,
    counts: 'answers with a Date header',
  },
} as const satisfies Record<string, Assumption>

const ENDED = 'needs windows that ended 10 to 40 minutes ago'
const RESOLVES = 'needs a followed market that is resolved during the run'

const ENDINGS = {
  'result-in-catalogue': {
    says: 'Ten minutes after its end, the catalogue shows a window as closed, with outcome prices 1 and 0.',
    isRelied: true,
    counts: 'ended windows',
    mostAgainst: 0.2,
    seldom: ENDED,
  },
  'result-in-clob': {
    says: 'The order book service marks the winning token of such a window, the same as the catalogue.',
    isRelied: true,
    counts: 'ended windows',
    mostAgainst: 0.2,
    seldom: ENDED,
  },
  'window-prices': {
    says: 'The event of such a window states priceToBeat and finalPrice.',
    isRelied: true,
    counts: 'ended windows',
    mostAgainst: 0.2,
    seldom: ENDED,
  },
  'settled-token': {
    says: 'A settled token in a subscribe gets no book, and does not affect the other tokens.',
    isRelied: true,
    counts: 'subscribes',
    seldom: ENDED,
  },
  'resolution-event': {
    says: 'A resolved market is announced by market_resolved with its winner; the venue loses some of them.',
    isRelied: true,
    counts: 'resolved markets',
    mostAgainst: 0.6,
    seldom: RESOLVES,
  },
  'close-when-resolved': {
    says: 'A socket whose markets are all resolved is closed with 1000 "all subscribed assets resolved".',
    isRelied: true,
    counts: 'closed sockets',
    seldom: RESOLVES,
  },
} as const satisfies Record<string, Assumption>

export const POLYMARKET_ASSUMPTIONS = { ...SOCKET, ...BOOKS, ...CATALOGUE, ...ENDINGS } as const

export type PolymarketAssumption = keyof typeof POLYMARKET_ASSUMPTIONS

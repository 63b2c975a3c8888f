import { type Defect, defectsIn } from '../defects/defect.ts'

/** Markets, books, snapshots and perps. */
export const DEFECTS_OF_BOOKS: readonly Defect[] = [
  ...defectsIn(
    'endpoints/shared/live-book.ts',
    ['a book is live for 61 seconds', 'LIVE_FOR_MS = 60_000', 'LIVE_FOR_MS = 61_000'],
    ['a book is live for 59 seconds', 'LIVE_FOR_MS = 60_000', 'LIVE_FOR_MS = 59_000'],
    ['a book is never stale', 'stale: isStale(ageMs, market.captureIntervalMs)', 'stale: false'],
    ['marketId is missing', 'marketId: id,', ''],
    [
      'both books are those of UP',
      'tokenBookOf(snapshot, tokenIds[1], 1, proof)',
      'tokenBookOf(snapshot, tokenIds[1], 0, proof)',
    ],
    [
      'the book has no question',
      'question,\n    timeframe,\n    slug,\n    crypto:',
      "question: '',\n    timeframe,\n    slug,\n    crypto:",
    ],
  ),
  ...defectsIn(
    'endpoints/schemas/book-figures.ts',
    ['the mid price is the best bid', 'mid: (bid + ask) / (2 * PRICE_ONE)', 'mid: priceOf(bid)'],
    ['the spread is negative', 'spread: priceOf(ask - bid)', 'spread: priceOf(bid - ask)'],
    ['the depth counts levels', 'sizeOf(levels.reduce((sum, { size }) => sum + size, 0))', 'levels.length'],
  ),
  ...defectsIn(
    'endpoints/schemas/token-book.ts',
    [
      'the event time is the capture time',
      'eventTimestamp: snapshot.eventAtMs',
      'eventTimestamp: snapshot.capturedAtMs',
    ],
    ['the sequence number is a counter', 'sequenceNumber: snapshot.slot', 'sequenceNumber: 1'],
    ['levels are in the wrong order', 'return levels.map(', 'return levels.toReversed().map('],
  ),
  ...defectsIn(
    'endpoints/markets/get-market-orderbook-by-slug.ts',
    [
      'the book by slug ignores includebook',
      'liveBook(stores, market, nowMs, query.includebook)',
      'liveBook(stores, market, nowMs, true)',
    ],
    ['the book by slug ignores the tier', 'require({ category: market.category })', ''],
  ),
  ...defectsIn('endpoints/markets/get-market-orderbook.ts', [
    'the book by id ignores the tier',
    'require({ category: market.category })',
    '',
  ]),
  ...defectsIn(
    'endpoints/markets/get-market.ts',
    ['a market ignores the tier', 'require({ category: market.category })', ''],
    ['the outcomes of a window are UP and DOWN', "['Up', 'Down'] : ['Yes', 'No']", "['UP', 'DOWN'] : ['Yes', 'No']"],
    [
      'the tokens of a market are swapped',
      'token_id_up: up, token_id_down: down',
      'token_id_up: down, token_id_down: up',
    ],
    ['a closed market has no event', "...(market.eventTitle !== '' && { event_title: market.eventTitle }),", ''],
    ['a closed market has no group', '...(groupId !== undefined && { neg_risk_id: groupId }),', ''],
  ),
  ...defectsIn(
    'endpoints/markets/get-market-summary.ts',
    ['the summary ignores the tier', 'require({ category: market.category })', ''],
    ['the summary counts slots', 'rowCount * TOKENS', 'rowCount'],
  ),
  ...defectsIn(
    'endpoints/snapshots/requested-page.ts',
    ['the default limit of snapshots is 50', 'wholeNumber(1, 500).default(100)', 'wholeNumber(1, 500).default(50)'],
    ['the largest limit of snapshots is 499', 'wholeNumber(1, 500).default(100)', 'wholeNumber(1, 499).default(100)'],
    ['the side is ignored', "query.side === undefined ? [0, 1] : [query.side === 'UP' ? 0 : 1]", '[0, 1]'],
    [
      'includebook defaults to false',
      "Flag.default(true).describe('false leaves bids and asks out')",
      "Flag.default(false).describe('false leaves bids and asks out')",
    ],
    ['snapshots ignore the category of the tier', 'require({ category: market.category })', ''],
  ),
  ...defectsIn('endpoints/snapshots/list-snapshots.ts', ['snapshots cost 9 credits', 'CREDITS = 10', 'CREDITS = 9']),
  ...defectsIn('domain/snapshot-flags.ts', [
    'a book that is not proved is not marked',
    'isSet !== (flag.isMissing ?? false)',
    'isSet && !flag.isMissing',
  ]),
  ...defectsIn('venues/polymarket/definition.ts', ['no venue offers a proof', "proof: 'hash'", "proof: 'none'"]),
  ...defectsIn(
    'rendering/token-snapshots.ts',
    ['the depth is of four levels', 'DEPTH_LEVELS = 5', 'DEPTH_LEVELS = 4'],
    ['the spot price is missing', 'rows.flags(index) & SNAPSHOT_FLAGS.hasSpot', '0'],
    ['the sides are swapped', "outcome === 0 ? 'UP' : 'DOWN'", "outcome === 1 ? 'UP' : 'DOWN'"],
  ),
  ...defectsIn(
    'endpoints/snapshots/get-snapshot.ts',
    ['a snapshot at a time comes with its book', 'Flag.default(false)', 'Flag.default(true)'],
    ['the distance is signed', 'Math.abs(snapshot.capturedAtMs - atMs)', 'snapshot.capturedAtMs - atMs'],
  ),
  ...defectsIn(
    'endpoints/snapshots/list-latest-snapshots.ts',
    ['there are four newest snapshots', 'COUNT = 5', 'COUNT = 4'],
    [
      'the newest snapshots are the oldest first',
      'slotMs(other.snapshot) - slotMs(one.snapshot)',
      'slotMs(one.snapshot) - slotMs(other.snapshot)',
    ],
  ),
  ...defectsIn(
    'endpoints/exchange/get-exchange-orderbook.ts',
    ['every tier may read live perps', "capability: 'live_exchange_book'", ''],
    ['an old perp book is live', 'nowMs - Math.min(capturedAtMs, eventAtMs) <= LIVE_FOR_MS', 'nowMs > 0'],
  ),
  ...defectsIn(
    'endpoints/exchange/list-exchange-snapshots.ts',
    ['perp snapshots default to 99', 'wholeNumber(1, 500).default(100)', 'wholeNumber(1, 500).default(99)'],
    ['perp snapshots have no cursor', 'nextCursor: next, from', 'from'],
  ),
  ...defectsIn(
    'endpoints/schemas/perp-book.ts',
    ['the exchange is the bare venue', '`${row.venue}_perp`', 'row.venue'],
    ['levels of perps are size and price', '[price / ONE, size / ONE]', '[size / ONE, price / ONE]'],
    ['the mid price of perps is the sum', '(bid + ask) / (2 * ONE)', '(bid + ask) / ONE'],
  ),
]

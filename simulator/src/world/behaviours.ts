/**
 * Habits of the real venues that make a recorder's life harder although nothing is broken. A realistic simulator has
 * all of them; a plain one has none, so that a test can meet them one by one. Rates are those measured at the venues.
 */
export const BEHAVIOURS = {
  'needs-pause-before-resubscribe': 'a subscribe less than 200 ms after the unsubscribe brings no book',
  'deltas-after-unsubscribe': 'changes of removed tokens still come for 73 ms',
  'close-when-all-resolved': 'a socket whose tokens have all resolved is closed with 1000',
  'delivery-limits':
    'a market socket delivers at most 400 frames and 256 KiB a second; a full queue closes it with 1013',
  'socket-stalls': 'a market socket stalls alone for 1 to 6 s, about once in 20 minutes',
  'hash-ahead': 'a hash already contains the change that follows 1 to 2 ms later',
  'tick-in-hash-first': 'a hash contains the new tick just before tick_size_change',
  'unannounced-trade-prices': 'a hash contains the price of a trade that is never announced',
  'unexplained-hashes': 'a hash matches no book, for some milliseconds',
  'late-trades': 'one trade in ten is announced up to 120 ms after its hash',
  'lost-resolutions': 'one market_resolved in five is never sent',
  'resolution-delays': 'windows resolve 2 to 28 minutes after their end, depending on their length',
  'late-gamma-close': 'the catalogue shows a market as closed 51 s to 3 min after its resolution',
  'wrong-recurrence': 'many crypto series say that their recurrence is daily',
  'more-markets': 'soccer games have a sibling event that no list and no search shows',
  'late-duplicates': 'price changes of busy markets are sent twice, up to 120 ms apart',
  'ticks-twice': 'each tick_size_change is sent twice',
  'new-market-flood': 'every socket gets about one new_market a second, for windows a day ahead',
  'mixed-stamps': 'timestamps go backwards between frames of different types',
  'perp-connection-rate': 'Hyperliquid refuses more than 30 new connections a minute',
  'kalshi-read-limit': 'Kalshi answers 20 REST calls a second, after a burst of 60, and others with 429',
  'kalshi-maintenance': 'Kalshi pauses trading on Thursdays from 3 to 5 h in New York and closes its sockets before',
} as const satisfies Record<string, string>

export type Behaviour = keyof typeof BEHAVIOURS

export const REALISTIC = Object.keys(BEHAVIOURS) as readonly Behaviour[]

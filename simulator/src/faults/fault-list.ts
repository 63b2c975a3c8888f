/**
 * All faults that the simulator can inject, by name. `seen` lists the numbers of docs/venues/faults.md, which describes
 * where the fault was observed at a real venue.
 */
export type FaultPlace = 'frame' | 'handshake' | 'subscription' | 'connection' | 'clock' | 'rest'

export interface FaultKind {
  place: FaultPlace
  says: string
  /** Meaning and default of each option; every fault also has `rate` and `times`. */
  options?: Record<string, { says: string; usual: number }>
  seen: readonly string[]
}

export const FAULT_KINDS = {
  mute: { place: 'frame', says: 'sends no data, but still answers pings', seen: ['F1', 'F52'] },
  'half-open': { place: 'frame', says: 'sends nothing at all and never closes', seen: ['F2'] },
  freeze: {
    place: 'frame',
    says: 'holds all data frames and sends them in one burst when switched off',
    seen: ['F50'],
  },
  drop: { place: 'frame', says: 'drops data frames', seen: ['F12', 'F15'] },
  duplicate: { place: 'frame', says: 'sends data frames twice', seen: ['F9'] },
  reorder: { place: 'frame', says: 'sends a data frame after the one that follows it', seen: ['F11'] },
  corrupt: { place: 'frame', says: 'truncates data frames', seen: ['F12'] },
  'wrong-hash': { place: 'frame', says: 'sends hashes that match no book', seen: ['F12'] },
  'wrong-echo': { place: 'frame', says: 'sends a wrong best_bid in price changes', seen: ['F30'] },
  'wrong-size': { place: 'frame', says: 'changes the size of a level but not the hash', seen: ['F12'] },
  'unknown-event': { place: 'frame', says: 'adds events of an unknown type', seen: ['F17'] },
  'unknown-keys': { place: 'frame', says: 'adds unknown keys to data frames', seen: ['F27'] },
  'noise-text': { place: 'frame', says: 'adds text frames that are not JSON', seen: ['F18'] },
  'empty-array': { place: 'frame', says: 'adds empty arrays', seen: ['F4'] },
  'hash-rule-change': {
    place: 'frame',
    says: 'computes the hash over other keys: rule 1 adds min_price at the end, rule 2 leaves last_trade_price out',
    options: { rule: { says: 'number of the rule', usual: 1 } },
    seen: ['F27'],
  },
  'omit-change': {
    place: 'frame',
    says: 'never announces a change, to no client, although the hash contains it',
    seen: ['F12'],
  },
  'stray-market': {
    place: 'subscription',
    says: 'sends frames of markets that the client did not subscribe to',
    seen: ['F26'],
  },
  'no-first-book': { place: 'subscription', says: 'never sends the first book', seen: ['F3', 'F5'] },
  'late-first-book': {
    place: 'subscription',
    says: 'sends changes before the first book',
    options: { delayMs: { says: 'delay of the first book', usual: 2_000 } },
    seen: ['F7'],
  },
  'ignore-later-subscribes': {
    place: 'subscription',
    says: 'ignores subscriptions after the first',
    seen: ['F20', 'F23'],
  },
  'stale-perp-book': {
    place: 'subscription',
    says: 'keeps sending the same perp book with the same time',
    seen: ['F62'],
  },
  'refuse-upgrade': {
    place: 'handshake',
    says: 'rejects new WebSocket connections with an HTTP status',
    options: { status: { says: 'HTTP status', usual: 429 } },
    seen: ['F22', 'F56', 'F70'],
  },
  'rtds-removed': {
    place: 'handshake',
    says: 'removes the price socket: closes it and rejects new connections with an HTTP status',
    options: { status: { says: 'HTTP status', usual: 410 } },
    seen: ['F55'],
  },
  disconnect: {
    place: 'connection',
    says: 'closes open sockets once; code 1006 closes without a close frame',
    options: { code: { says: 'close code', usual: 1006 } },
    seen: ['F20', 'F57', 'F64', 'F65'],
  },
  'slow-consumer': { place: 'connection', says: 'closes open sockets once with 1013 "slow consumer"', seen: ['F19'] },
  'server-shutdown': {
    place: 'connection',
    says: 'Binance only: announces the end of open sockets, then closes them',
    options: { closeAfterMs: { says: 'time from the announcement to the end', usual: 10_000 } },
    seen: ['F57'],
  },
  stall: {
    place: 'connection',
    says: 'delivers nothing on open sockets for a while, then everything',
    options: { ms: { says: 'duration in milliseconds', usual: 4_000 } },
    seen: ['F1', 'F50'],
  },
  late: {
    place: 'connection',
    says: 'delivers every data frame this much later, in order',
    options: { ms: { says: 'delay in milliseconds', usual: 12_000 } },
    seen: ['F19', 'F50'],
  },
  'clock-offset': {
    place: 'clock',
    says: 'shifts the timestamps of the feed, hashes included',
    options: { ms: { says: 'offset in milliseconds', usual: -30_000 } },
    seen: ['F10'],
  },
  'negative-level': {
    place: 'frame',
    says: 'Kalshi only: a change removes more contracts than its level has',
    seen: [],
  },
  'buffer-overflow': {
    place: 'subscription',
    says: 'Kalshi only: ends the book subscriptions of open sockets once, with error 25',
    seen: [],
  },
  maintenance: {
    place: 'connection',
    says: 'Kalshi only: pauses trading until it is switched off, and closes open sockets when it begins',
    seen: [],
  },
  'wrong-handshake-clock': {
    place: 'handshake',
    says: 'Kalshi only: judges the time of signed handshakes by a clock that is wrong, so that it answers 401',
    options: { ms: { says: 'offset in milliseconds', usual: 60_000 } },
    seen: [],
  },
  'rest-429': {
    place: 'rest',
    says: 'answers REST calls with 429 and Retry-After (Kalshi: without)',
    options: { retryAfterS: { says: 'seconds to wait', usual: 2 } },
    seen: ['F22'],
  },
  'rest-error': {
    place: 'rest',
    says: 'answers REST calls with an error status',
    options: { status: { says: 'HTTP status', usual: 502 } },
    seen: ['F40'],
  },
  'rest-slow': {
    place: 'rest',
    says: 'delays the responses to REST calls',
    options: { delayMs: { says: 'delay in milliseconds', usual: 5_000 } },
    seen: ['F40'],
  },
  'stale-book': {
    place: 'rest',
    says: 'always answers /book with the first response since it was switched on',
    seen: ['F30'],
  },
  'ghost-book': { place: 'rest', says: 'answers /book with only 0.01 and 0.99', seen: ['F30'] },
  'book-404': { place: 'rest', says: 'answers /book with 404', seen: ['F34', 'F36', 'F37'] },
  'lists-as-arrays': {
    place: 'rest',
    says: 'sends list fields as JSON arrays instead of encoded strings',
    seen: ['F35'],
  },
  'repeat-page': {
    place: 'rest',
    says: 'answers every page request with the first page and the same cursor',
    seen: ['F31'],
  },
  'unsteady-pages': { place: 'rest', says: 'drops and repeats entries between pages', seen: ['F43'] },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof FAULT_KINDS

export const FAULT_NAMES = Object.keys(FAULT_KINDS) as [FaultName, ...FaultName[]]

/**
 * Everything this simulator can do wrong on purpose, by name. `faults` are the numbers under which the
 * project's list of real venue faults (docs/venues/faults.md) describes what was seen in the wild.
 */
export type FaultPlace = 'frame' | 'handshake' | 'subscription' | 'connection' | 'clock' | 'rest'

export interface FaultKind {
  place: FaultPlace
  says: string
  /** What each option means and is when not given; `rate` and `times` are understood by every fault. */
  options?: Record<string, { says: string; usual: number }>
  seen: readonly string[]
}

export const FAULT_KINDS = {
  mute: { place: 'frame', says: 'sends no data, but goes on answering pings', seen: ['F1', 'F52'] },
  'half-open': { place: 'frame', says: 'sends nothing at all and never closes', seen: ['F2'] },
  freeze: { place: 'frame', says: 'holds all data back and sends it in one burst when switched off', seen: ['F50'] },
  drop: { place: 'frame', says: 'leaves data frames out', seen: ['F12', 'F15'] },
  duplicate: { place: 'frame', says: 'sends data frames twice', seen: ['F9'] },
  reorder: { place: 'frame', says: 'sends a data frame after the one that follows it', seen: ['F11'] },
  corrupt: { place: 'frame', says: 'breaks data frames off in the middle', seen: ['F12'] },
  'wrong-hash': { place: 'frame', says: 'sends hashes that belong to no book', seen: ['F12'] },
  'wrong-echo': { place: 'frame', says: 'echoes a best bid that is not the best', seen: ['F30'] },
  'wrong-size': { place: 'frame', says: 'changes a level on the way, hash untouched', seen: ['F12'] },
  'unknown-event': { place: 'frame', says: 'adds events of a type nobody knows', seen: ['F17'] },
  'unknown-keys': { place: 'frame', says: 'adds keys nobody knows to data frames', seen: ['F27'] },
  'noise-text': { place: 'frame', says: 'adds text frames that are not JSON', seen: ['F18'] },
  'empty-array': { place: 'frame', says: 'adds empty arrays', seen: ['F4'] },
  'stray-market': { place: 'subscription', says: 'sends frames of markets that were not asked for', seen: ['F26'] },
  'no-first-book': { place: 'subscription', says: 'never sends the first book', seen: ['F3', 'F5'] },
  'late-first-book': {
    place: 'subscription',
    says: 'sends changes before the first book',
    options: { delayMs: { says: 'how late the book comes', usual: 2_000 } },
    seen: ['F7'],
  },
  'ignore-later-subscribes': {
    place: 'subscription',
    says: 'takes no notice of subscriptions after the first',
    seen: ['F20', 'F23'],
  },
  'stale-perp-book': { place: 'subscription', says: 'sends the same perp book and time for ever', seen: ['F62'] },
  'refuse-upgrade': {
    place: 'handshake',
    says: 'refuses new sockets with an HTTP status',
    options: { status: { says: 'the status', usual: 429 } },
    seen: ['F22', 'F56', 'F70'],
  },
  disconnect: {
    place: 'connection',
    says: 'ends open sockets once; 1006 cuts the line without a close frame',
    options: { code: { says: 'the close code', usual: 1006 } },
    seen: ['F20', 'F57', 'F64', 'F65'],
  },
  'slow-consumer': { place: 'connection', says: 'closes open sockets once with 1013 "slow consumer"', seen: ['F19'] },
  'clock-offset': {
    place: 'clock',
    says: "shifts the feed's clock, hashes included",
    options: { ms: { says: 'by how much', usual: -30_000 } },
    seen: ['F10'],
  },
  'rest-429': {
    place: 'rest',
    says: 'refuses REST calls with 429 and Retry-After',
    options: { retryAfterS: { says: 'seconds to wait', usual: 2 } },
    seen: ['F22'],
  },
  'rest-error': {
    place: 'rest',
    says: 'fails REST calls',
    options: { status: { says: 'the status', usual: 502 } },
    seen: ['F40'],
  },
  'rest-slow': {
    place: 'rest',
    says: 'answers REST calls late',
    options: { delayMs: { says: 'how late', usual: 5_000 } },
    seen: ['F40'],
  },
  'stale-book': { place: 'rest', says: 'answers /book with what it first answered since', seen: ['F30'] },
  'ghost-book': { place: 'rest', says: 'answers /book with an empty market of 0.01 and 0.99', seen: ['F30'] },
  'book-404': { place: 'rest', says: 'does not know the book', seen: ['F34', 'F36', 'F37'] },
  'lists-as-arrays': { place: 'rest', says: 'sends list fields as arrays, not as encoded strings', seen: ['F35'] },
  'repeat-page': { place: 'rest', says: 'answers every page with the first one and the same cursor', seen: ['F31'] },
  'unsteady-pages': { place: 'rest', says: 'leaves out and repeats entries between pages', seen: ['F43'] },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof FAULT_KINDS

export const FAULT_NAMES = Object.keys(FAULT_KINDS) as [FaultName, ...FaultName[]]

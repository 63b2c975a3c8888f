import type { ThreatEntry } from './threat-entry.ts'

/** From the frames of a venue to rows: T24 and I1 to I9. */
export const ENTRIES_OF_CAPTURE: readonly ThreatEntry[] = [
  {
    id: 'T24',
    defence: 'A frame with a number that is invalid or too precise is refused, not rounded.',
    removal: {
      file: 'service/src/venues/polymarket/fields.ts',
      text: "if (units === undefined) throw new Malformed('size is not a valid number')\n  return units",
      replacement: 'return units ?? Number.parseFloat(text)',
    },
    test: {
      file: 'service/src/venues/polymarket/decode.test.ts',
      name: 'an invalid or too precise number is refused and never rounded',
    },
  },
  {
    id: 'T24',
    defence: 'A list of more than 10,000 levels is refused.',
    removal: {
      file: 'service/src/venues/polymarket/fields.ts',
      text: 'export const MOST_LEVELS = 10_000',
      replacement: 'export const MOST_LEVELS = 1_000_000',
    },
    test: {
      file: 'service/src/venues/polymarket/decode.test.ts',
      name: 'a book at the finest tick is read, and one of more than 10,000 levels per side is refused',
    },
  },
  {
    id: 'T24',
    defence: 'Any text is decoded without an exception; what cannot be read is a problem with a short reason.',
    removal: {
      file: 'service/src/venues/frame-fields.ts',
      text: "if (typeof value !== 'object' || value === null || Array.isArray(value))\n    throw new Malformed(`${what} is not an object`)",
      replacement: '',
    },
    test: {
      file: 'service/src/venues/polymarket/decode.test.ts',
      name: 'decoding never throws, and its reasons never contain the frame',
    },
  },
  {
    id: 'T24',
    defence: 'A frame above the size limit of its venue is not read, and its socket is closed.',
    removal: {
      file: 'service/src/venues/feed-session.ts',
      text: 'maxPayload: options.rules.maxFrameBytes',
      replacement: 'maxPayload: 0',
    },
    test: {
      file: 'service/test/venues/feed.nightly.test.ts',
      name: 'a frame above the size limit is not read, and its socket is closed',
    },
  },
  {
    id: 'T24',
    defence: 'A book with two levels of one price or an empty level is refused, and the old one stays.',
    removal: {
      file: 'service/src/domain/book.ts',
      text: 'if (sorted[index + 1]?.price === price) throw',
      replacement: 'if (price < 0) throw',
    },
    test: {
      file: 'service/src/domain/book.test.ts',
      name: 'a book with an empty level or two of one price is refused, and the old one stays',
    },
  },
  {
    id: 'I1',
    defence: 'Slots that were skipped become a gap before the next row.',
    removal: {
      file: 'service/src/capture/gap-ledger.ts',
      text: 'if (from >= slot) return []',
      replacement: 'return []',
    },
    test: {
      file: 'service/src/capture/gap-ledger.test.ts',
      name: 'every slot has a row or a gap record, and no missing slot has a row',
    },
  },
  {
    id: 'I1',
    defence: 'Rows that could not be published become gap records, also after several interruptions.',
    removal: {
      file: 'service/src/capture/lost-slots.ts',
      text: 'if (range !== undefined && this.#changed.has(marketId)) this.#unpublished.push([marketId, range])',
      replacement: '',
    },
    test: {
      file: 'service/src/capture/lost-slots.test.ts',
      name: 'the gap records cover exactly the lost slots',
    },
  },
  {
    id: 'I2',
    defence: 'A book in doubt is dropped, and only whole, proved books of both tokens end the doubt.',
    removal: {
      file: 'service/src/venues/polymarket/proved-book.ts',
      text: 'for (const token of this.#tokens) token.drop()',
      replacement: '',
    },
    test: {
      file: 'service/test/venues/proof-rules.test.ts',
      name: 'a doubt ends only when whole books of both tokens are proved',
    },
  },
  {
    id: 'I2',
    defence: 'A socket that answers pings but sends no data is closed as silent.',
    removal: {
      file: 'service/src/venues/feed-session.ts',
      text: 'if (nowMs() - this.#dataAtMs > silenceLimitMs)',
      replacement: 'if (nowMs() < 0)',
    },
    test: {
      file: 'service/test/venues/feed.nightly.test.ts',
      name: 'F1: pings are answered but no data comes, so the socket is closed',
    },
  },
  {
    id: 'I2',
    defence: 'Rows since the book was last proved are marked as suspect.',
    removal: {
      file: 'service/src/capture/gap-ledger.ts',
      text: 'if (absence.rightUntilMs === undefined || this.#sampledSlot === undefined) return []',
      replacement: 'return []',
    },
    test: {
      file: 'service/src/capture/gap-ledger.test.ts',
      name: 'rows since the book was last right become suspect, with the slot at which that was known',
    },
  },
  {
    id: 'I3',
    defence: 'Slots up to a last tick that is not over yet are waited for, so that none is written twice.',
    removal: {
      file: 'service/src/capture/resumed-shard.ts',
      text: 'notBeforeMs: lastTickMs + RECORD_MAY_LAG_MS,',
      replacement: 'notBeforeMs: 0,',
    },
    test: {
      file: 'service/src/capture/clock-recovery.test.ts',
      name: 'a near tick is waited for: no slot is written twice, and the clock is not moved',
    },
  },
  {
    id: 'I3',
    defence: 'A recorder whose shard was taken over is fenced: the bus refuses its batches.',
    removal: {
      file: 'service/src/bus/publish.ts',
      text: '...(fence && {',
      replacement: '...(fence === null && {',
    },
    test: {
      file: 'service/test/bus/publish.nightly.test.ts',
      name: 'when another publisher raises its fence, the former one stops',
    },
  },
  {
    id: 'I4',
    defence: 'Slots follow the monotonic clock; a step of the wall clock is only reported.',
    removal: {
      file: 'service/src/capture/sampling-clock.ts',
      text: 'return this.#anchorMs + this.#clock.monotonicMs()',
      replacement: 'return this.#clock.wallMs()',
    },
    test: {
      file: 'service/src/capture/sampling-clock.test.ts',
      name: 'a step of the wall clock in either direction does not change sampling time, and is reported',
    },
  },
  {
    id: 'I4',
    defence: 'The time of the venue is stored beside the times of receipt and capture.',
    removal: {
      file: 'service/src/capture/sample.ts',
      text: 'eventAtMs: state.eventAtMs,',
      replacement: 'eventAtMs: capturedAtMs,',
    },
    test: {
      file: 'service/src/capture/sample.test.ts',
      name: 'a row keeps event, receipt and capture time apart',
    },
  },
  {
    id: 'I5',
    defence: 'A stored row with a crossed book has the flag for it.',
    removal: {
      file: 'service/src/capture/sample.ts',
      text: '(isCrossed ? SNAPSHOT_FLAGS.crossed : 0)',
      replacement: '0',
    },
    test: {
      file: 'service/src/capture/sample.test.ts',
      name: 'an empty side, crossed prices and a missing proof set flags',
    },
  },
  {
    id: 'I5',
    defence: 'A crossed book without a proof is in doubt and is not sampled.',
    removal: {
      file: 'service/src/venues/polymarket/proved-book.ts',
      text: "token.isCrossed ? 'impossible_book' : 'hash_mismatch'",
      replacement: "'hash_mismatch'",
    },
    test: {
      file: 'service/test/venues/rest-comparison.test.ts',
      name: 'an unproved book that is crossed is in doubt as impossible_book',
    },
  },
  {
    id: 'I6',
    defence: 'Every change is proved by the hash of the venue; a hash that does not fit raises a doubt.',
    removal: {
      file: 'service/src/venues/polymarket/token-proof.ts',
      text: 'if (fitting === undefined) continue\n      this.#clues.lastTradeText = fitting',
      replacement: 'if (fitting !== undefined) this.#clues.lastTradeText = fitting',
    },
    test: {
      file: 'service/test/venues/rest-comparison.test.ts',
      name: 'a book is compared with REST after three failed checks, or after one second',
    },
  },
  {
    id: 'I8',
    defence: 'Whether the two books of a market mirror each other is found by comparing them.',
    removal: {
      file: 'service/src/capture/sample.ts',
      text: '(sameLadders(mirrorOf(up), down) ? SNAPSHOT_FLAGS.mirrored : 0)',
      replacement: 'SNAPSHOT_FLAGS.mirrored',
    },
    test: {
      file: 'service/src/capture/sample.test.ts',
      name: 'mirrored is found by comparing the books, not assumed',
    },
  },
  {
    id: 'I9',
    defence: 'A decimal with more digits than are stored is refused instead of rounded.',
    removal: {
      file: 'service/src/domain/decimal.ts',
      text: 'if (/[1-9]/.test(fraction.slice(decimals))) return undefined',
      replacement: '',
    },
    test: {
      file: 'service/src/domain/decimal.test.ts',
      name: 'what is no plain decimal, or finer than we can keep, is refused and never rounded',
    },
  },
]

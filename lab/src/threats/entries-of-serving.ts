import type { ThreatEntry } from './threat-entry.ts'

/** From the stores to the answers: T23, I7, I18 to I26 and I37. */
export const ENTRIES_OF_SERVING: readonly ThreatEntry[] = [
  {
    id: 'T23',
    defence: 'Concurrent requests for the same value share one computation.',
    removal: {
      file: 'service/src/stores/platform/remembered.ts',
      text: 'this.#making ??= forEverybody(',
      replacement: 'this.#making = forEverybody(',
    },
    test: {
      file: 'service/src/stores/platform/remembered.test.ts',
      name: 'concurrent and later reads share one computed value until it is too old',
    },
  },
  {
    id: 'T23',
    defence: 'While a value cannot be computed, the previous one is served for a limited time.',
    removal: {
      file: 'service/src/stores/platform/remembered.ts',
      text: 'if (cached === undefined || ageMs >= this.#memory.servesForMs) return making',
      replacement: 'return making',
    },
    test: {
      file: 'service/src/stores/platform/remembered.test.ts',
      name: 'the previous value is returned for a limited time when computing a new one fails or hangs',
    },
  },
  {
    id: 'I5',
    defence: 'The live book is the last one that was not crossed.',
    removal: {
      file: 'service/src/stores/books/newest-books.ts',
      text: 'return (flags & SNAPSHOT_FLAGS.crossed) !== 0',
      replacement: 'return flags < 0',
    },
    test: {
      file: 'service/test/http/markets-book.test.ts',
      name: 'a crossed book is never served: the last one that was not crossed, or none',
    },
  },
  {
    id: 'I7',
    defence: 'Best prices, mid, spread and depth are computed from the levels of the row.',
    removal: {
      file: 'service/src/rendering/token-snapshots.ts',
      text: 'level < Math.min(side.length, DEPTH_LEVELS)',
      replacement: 'level < side.length',
    },
    test: {
      file: 'service/src/rendering/token-snapshots.test.ts',
      name: 'the text of a page has the members of each token snapshot in order, with exact values',
    },
  },
  {
    id: 'I18',
    defence: 'A live book older than a minute is not served, and an older one tells its age.',
    removal: {
      file: 'service/src/endpoints/shared/live-book.ts',
      text: 'if (snapshot !== undefined && nowMs - snapshot.capturedAtMs <= LIVE_FOR_MS) return snapshot',
      replacement: 'if (snapshot !== undefined) return snapshot',
    },
    test: {
      file: 'service/test/http/markets-book.test.ts',
      name: 'in a gap the last trusted book is served with its age, and after a minute none',
    },
  },
  {
    id: 'I19',
    defence: 'A slot that was stored several times is read once, so that pages neither overlap nor skip.',
    removal: {
      file: 'service/src/stores/books/snapshots.ts',
      text: 'LIMIT 1 BY slot LIMIT {limit:UInt32}',
      replacement: 'LIMIT {limit:UInt32}',
    },
    test: {
      file: 'service/test/clickhouse/rows.test.ts',
      name: 'pages join without overlap in both directions, and duplicates are removed',
    },
  },
  {
    id: 'I20',
    defence: 'REST, flat files and streams show the same values of a row, also of a mirrored token.',
    removal: {
      file: 'service/src/stores/books/token-rows-sql.ts',
      text: 'bestBid: `if(${IS_MIRRORED}, ${PRICE_ONE} - ${UP.bestAsk}, ${DOWN.bestBid})`',
      replacement: 'bestBid: DOWN.bestBid',
    },
    test: {
      file: 'service/test/clickhouse/token-forms.test.ts',
      name: 'REST text, REST objects, SQL and stream frames show the same values for random rows',
    },
  },
  {
    id: 'I21',
    defence: 'Every error has a code, a message and the status that its code is published with.',
    removal: {
      file: 'service/src/domain/api-error.ts',
      text: 'if (status !== kind.status && status !== kind.otherStatus)',
      replacement: 'if (status < 400)',
    },
    test: {
      file: 'service/src/domain/api-error.test.ts',
      name: 'a tier that does not include something is 403, and 402 where the interface says so; no other status passes',
    },
  },
  {
    id: 'I22',
    defence: 'A refused value is described without writing it out, so that deep input cannot exhaust the stack.',
    removal: {
      file: 'service/src/domain/value-problems.ts',
      text: "if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list'",
      replacement: '',
    },
    test: {
      file: 'service/src/domain/value-problems.test.ts',
      name: 'lists and objects of any depth are refused with a sentence',
    },
  },
  {
    id: 'I23',
    defence: 'A slot that a stream has sent is not sent again.',
    removal: {
      file: 'service/src/gateway/channels/row-stream.ts',
      text: 'if (this.#lastSeq !== undefined && frames.row.seq <= this.#lastSeq) return',
      replacement: '',
    },
    test: {
      file: 'service/src/gateway/channels/row-stream.test.ts',
      name: 'a slot that was told from the store is not told again by the bus',
    },
  },
  {
    id: 'I23',
    defence: 'Skipped slots are announced before the next row.',
    removal: {
      file: 'service/src/gateway/channels/row-stream.ts',
      text: 'if (frames > 0) this.outlet.send(skippedFrame(this, { fromSeq, toSeq, frames }, nowMs))',
      replacement: '',
    },
    test: {
      file: 'service/src/gateway/channels/row-stream.test.ts',
      name: 'a slow reader gets one notice of what it missed, then the newest row',
    },
  },
  {
    id: 'I24',
    defence: 'For a client that does not read, only the newest row of a market is held.',
    removal: {
      file: 'service/src/gateway/channels/row-stream.ts',
      text: '} else if (this.outlet.isFull) {',
      replacement: '} else if (frames.row.seq < 0) {',
    },
    test: {
      file: 'service/src/gateway/channels/row-stream.test.ts',
      name: 'a slow reader gets one notice of what it missed, then the newest row',
    },
  },
  {
    id: 'I24',
    defence: 'A client that stays slow is disconnected.',
    removal: {
      file: 'service/src/gateway/connection/open-connections.ts',
      text: 'performance.now() - (writer.fullSinceMs ?? Infinity) > slowForMs',
      replacement: 'slowForMs < 0',
    },
    test: {
      file: 'service/test/gateway/slow-reader.nightly.test.ts',
      name: 'is disconnected after a while, and may reconnect',
    },
  },
  {
    id: 'I25',
    defence: 'Whether a market has ended follows from its times and its resolution, the same in SQL and in code.',
    removal: {
      file: 'service/src/domain/market-status.ts',
      text: "if (market.endsAtMs <= nowMs) return 'settling'",
      replacement: "if (market.endsAtMs <= nowMs + 60_000) return 'settling'",
    },
    test: {
      file: 'service/test/markets/finding.test.ts',
      name: 'the status of a market follows the clock and the resolution, the same in SQL as in the domain',
    },
  },
  {
    id: 'I26',
    defence: 'A node that stops tells its streams to reconnect and closes them with 1001.',
    removal: {
      file: 'service/src/gateway/connection/open-connections.ts',
      text: "writer.close(CLOSE_CODES.going_away, 'going_away', { ...closing, retry_after_ms: RETRY_AFTER_MS })",
      replacement: 'writer.socket.terminate()',
    },
    test: {
      file: 'service/test/gateway/entry.test.ts',
      name: 'with 1001 and a notice when its node shuts down',
    },
  },
  {
    id: 'I37',
    defence: 'A slot without a probe is counted as missing, not as up.',
    removal: {
      file: 'service/src/domain/uptime.ts',
      text: 'if (letter === NO_PROBE || atMs >= untilMs) continue',
      replacement: 'if (atMs >= untilMs) continue',
    },
    test: {
      file: 'service/src/domain/uptime.test.ts',
      name: 'a missing probe is neither up nor down, and no incident',
    },
  },
  {
    id: 'T26',
    defence: 'The page of downloads takes only ids of markets from a link.',
    removal: {
      file: 'console/src/pages/downloads/downloads-search.ts',
      text: 'idsOf(markets).filter(isMarketId)',
      replacement: 'idsOf(markets)',
    },
    test: {
      file: 'console/src/pages/downloads/downloads-search.test.ts',
      name: 'a link chooses only ids of markets',
    },
  },
  {
    id: 'T26',
    defence: 'The command that the page of downloads shows quotes what a shell would not take as it is.',
    removal: {
      file: 'console/src/pages/downloads/cli-command.ts',
      text: '.test(word) ? word',
      replacement: '.test(word) || true ? word',
    },
    test: {
      file: 'console/src/pages/downloads/cli-command.test.ts',
      name: 'a word that a shell would not take as it is',
    },
  },
  {
    id: 'T26',
    defence: 'Pages leave out characters of foreign texts that change how other text is shown.',
    removal: {
      file: 'console/src/pages/downloads/file-table.tsx',
      text: 'plainText(report.slug)',
      replacement: 'report.slug',
    },
    test: { file: 'console/src/words/foreign-texts.test.ts', name: 'no page shows a text of a venue or a person' },
  },
]

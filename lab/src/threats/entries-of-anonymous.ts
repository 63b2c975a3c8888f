import type { ThreatEntry } from './threat-entry.ts'

const SERVER_TEST = 'service/src/http/hardened-server.test.ts'
const GUARD = 'service/src/access/connection-guard.ts'
const SERVER = 'service/src/http/hardened-server.ts'
const SETTINGS = 'service/src/roles/require-safe-settings.ts'
const SETTINGS_TEST = 'service/src/roles/require-safe-settings.test.ts'

/** Callers without a key. */
export const ENTRIES_OF_ANONYMOUS: readonly ThreatEntry[] = [
  {
    id: 'T12',
    defence: 'The cookie of a pending sign-in is authenticated.',
    removal: {
      file: 'service/src/access/seal.ts',
      text: ', decipher.final()])',
      replacement: '])',
    },
    test: { file: 'service/src/access/seal.test.ts', name: 'a changed, foreign, short or long text is not opened' },
  },
  {
    id: 'T19',
    defence:
      'The API does not start with an https address and no trusted proxy, where all callers would share one address.',
    removal: {
      file: SETTINGS,
      text: 'isPublicHttps && TRUSTED_PROXIES === undefined',
      replacement: 'false',
    },
    test: { file: SETTINGS_TEST, name: 'is refused with a sentence' },
  },
  {
    id: 'T20',
    defence: 'A request must arrive within 10 s.',
    removal: { file: SERVER, text: 'requestTimeout: limits.requestMs,', replacement: 'requestTimeout: 0,' },
    test: { file: SERVER_TEST, name: 'a body that arrives byte by byte' },
  },
  {
    id: 'T20',
    defence: 'A reader that has stopped is cut off after 20 to 40 s.',
    removal: {
      file: SERVER,
      text: 'server.setTimeout(limits.stalledMs, (socket) => guard.cutSilent(socket))',
      replacement: '',
    },
    test: { file: SERVER_TEST, name: 'a reader that has stopped is cut off' },
  },
  {
    id: 'T20',
    defence: 'A reader that reads only a little now and then is cut off.',
    removal: {
      file: GUARD,
      text: "if (this.#nowMs() - guarded.unreadSinceMs > allowedMs) this.cut(socket, 'slow_reader')",
      replacement: '',
    },
    test: { file: SERVER_TEST, name: 'a reader that reads only a little' },
  },
  {
    id: 'T20',
    defence: 'One address holds at most 256 connections without a valid key, and takes none from others.',
    removal: { file: GUARD, text: 'let perAddress = maxPerAddress', replacement: 'let perAddress = 1_000_000' },
    test: { file: SERVER_TEST, name: 'one address keeps at most its connections' },
  },
  {
    id: 'T20',
    defence: 'The connections of callers with a key are not closed for anonymous ones.',
    removal: { file: GUARD, text: "guarded.kind = 'keyed'", replacement: '' },
    test: { file: SERVER_TEST, name: 'one address keeps at most its connections' },
  },
  {
    id: 'T20',
    defence: 'A process accepts at most 10,000 connections.',
    removal: { file: SERVER, text: 'guard.size >= limits.maxConnections', replacement: 'false' },
    test: { file: SERVER_TEST, name: 'above the limit of the process' },
  },
  {
    id: 'T20',
    defence: 'A server that stops does not wait for idle or half-open connections.',
    removal: { file: GUARD, text: 'if (openRequests === 0 && !isUpgraded) socket.destroy()', replacement: '' },
    test: { file: SERVER_TEST, name: 'a server that stops closes idle connections at once' },
  },
  {
    id: 'T20',
    defence: 'Static files are compressed once, not for each request.',
    removal: { file: 'service/src/http/static-file.ts', text: 'compressed.set(name, made)', replacement: '' },
    test: { file: 'service/src/http/static-file.test.ts', name: 'a file is compressed once' },
  },
  {
    id: 'T20',
    defence: 'Load is shed by the age of the queue.',
    removal: {
      file: 'service/src/http/overload-monitor.ts',
      text: 'if (this.#lateChecks === 0) this.#lateSinceMs = nowMs\n    this.#lateChecks++',
      replacement: '',
    },
    test: { file: 'service/src/http/overload-monitor.test.ts', name: 'a queue that stays older than a second' },
  },
  {
    id: 'T23',
    defence: 'Concurrent lookups of a key share one query.',
    removal: {
      file: 'service/src/access/known-callers.ts',
      text: 'return this.#loading.get(name) ?? this.#load(name, load)',
      replacement: 'return this.#load(name, load)',
    },
    test: { file: 'service/src/access/known-callers.test.ts', name: '5,000 concurrent lookups of a key are one query' },
  },
  {
    id: 'T23',
    defence: 'Many unknown keys do not displace the valid ones from the cache.',
    removal: {
      file: 'service/src/access/known-callers.ts',
      text: 'entry.caller === undefined ? [this.#unknown, this.#entries] : [this.#entries, this.#unknown]',
      replacement: '[this.#entries, this.#unknown]',
    },
    test: { file: 'service/src/access/known-callers.test.ts', name: 'many unknown keys do not displace' },
  },
  {
    id: 'T20',
    defence: 'A busy process accepts many connections in each iteration of its event loop.',
    removal: { file: 'service/src/http/listeners.ts', text: 'LISTENERS = 16', replacement: 'LISTENERS = 1' },
    test: {
      file: 'service/src/http/listeners.test.ts',
      name: 'a busy process accepts many connections in each iteration of the event loop',
    },
  },
  {
    id: 'T20',
    defence: 'Empty lines do not keep a connection open.',
    removal: { file: GUARD, text: "this.cut(socket, 'no_request')", replacement: 'return' },
    test: { file: SERVER_TEST, name: 'empty lines do not keep a connection open' },
  },
]

import type { ThreatEntry } from './threat-entry.ts'

const SERVER_TEST = 'service/src/http/hardened-server.test.ts'
const ANONYMOUS_TEST = 'service/test/http/anonymous.test.ts'
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
    removal: {
      file: 'service/src/http/encoded-bytes.ts',
      text: 'this.#compressed.set(encoding, made)',
      replacement: '',
    },
    test: { file: 'service/src/http/static-file.test.ts', name: 'a file is compressed once' },
  },
  {
    id: 'T20',
    defence: 'The JSON of public samples is rendered and compressed once, not for each request.',
    removal: {
      file: 'service/src/http/render-answer.ts',
      text: '!endpoint.keepsAnswers || answered.keptAs === undefined',
      replacement: 'true',
    },
    test: { file: 'service/test/http/samples.test.ts', name: 'the JSON of samples is rendered and compressed once' },
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
  {
    id: 'T20',
    defence: 'A sign-in counts as one however its path is spelled: requests are classified by their route.',
    removal: {
      file: 'service/src/http/anonymous-requests.ts',
      text: "const route = routeOf(request) ?? ''",
      replacement: "const route = request.url.split('?')[0] ?? ''",
    },
    test: { file: ANONYMOUS_TEST, name: 'gets the budget of sign-ins however it spells their path' },
  },
  {
    id: 'T20',
    defence: 'One pending sign-in asks the identity provider once.',
    removal: {
      file: 'service/src/http/sign-in.ts',
      text: 'if (!(await sessions.spendSignIn(pending)))',
      replacement: 'if (false)',
    },
    test: {
      file: 'service/test/account/sign-in.test.ts',
      name: 'one pending sign-in asks the identity provider once',
    },
  },
  {
    id: 'T16',
    defence: 'A valid key has a rate also where it is not needed.',
    removal: {
      file: 'service/src/access/known-rate.ts',
      text: 'if (!verdict.isAllowed)',
      replacement: 'if (false)',
    },
    test: { file: ANONYMOUS_TEST, name: 'a valid key has a rate also where it is not needed' },
  },
  {
    id: 'T16',
    defence: 'A session does not leave out the rate of its account where no session is needed.',
    removal: {
      file: 'service/src/http/anonymous-requests.ts',
      text: 'const account = ofKey ?? ofSession',
      replacement: 'if (ofSession !== undefined) return\n    const account = ofKey',
    },
    test: {
      file: 'service/test/account/sessions.test.ts',
      name: 'a signed-in account has a rate also where it needs no session',
    },
  },
  {
    id: 'T23',
    defence: 'Sessions from an address that has used up its requests wait for their turn, and only some of them.',
    removal: {
      file: 'service/src/access/suspect-sessions.ts',
      text: 'if (this.#queue.size >= MAX_SUSPECT_SESSIONS) return false',
      replacement: '',
    },
    test: { file: 'service/src/access/suspect-sessions.test.ts', name: 'few sessions are looked up at once' },
  },
  {
    id: 'T20',
    defence: 'A few addresses that wait without a key do not keep other streams out: the oldest makes room.',
    removal: {
      file: 'service/src/gateway/admission/keyless-connections.ts',
      text: 'oldest.close()',
      replacement: '',
    },
    test: {
      file: 'service/src/gateway/admission/keyless-connections.test.ts',
      name: 'a few addresses that wait without a key do not keep others out',
    },
  },
]

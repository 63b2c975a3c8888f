import type { ThreatEntry } from './threat-entry.ts'

const ACCESS_TEST = 'service/test/access/access-control.test.ts'
const STATES_TEST = 'service/test/access/revocation-states.nightly.test.ts'
const ENDS_TEST = 'service/test/gateway/access-ends.nightly.test.ts'
const ENTRY_TEST = 'service/test/gateway/entry.test.ts'
const MATRIX_TEST = 'service/test/gateway/tier-matrix.test.ts'
const MCP_TEST = 'service/test/mcp/admission.test.ts'
const KNOWN_CALLERS = 'service/src/access/known-callers.ts'
const WATCH = 'service/src/gateway/admission/access-watch.ts'

export const ENTRIES_OF_EXPIRY: readonly ThreatEntry[] = [
  {
    id: 'T4',
    defence: 'Every request looks for the revocation mark of its key in Redis',
    removal: {
      file: 'service/src/stores/accounts/rate-limits.ts',
      text: "if redis.call('EXISTS', mark) == 1 then return -1, 0, 0, 0 end",
      replacement: '',
    },
    test: { file: ACCESS_TEST, name: 'a revoked key is refused at the next request on a node that has cached it' },
  },
  {
    id: 'T4',
    defence: 'The revocation mark has the id of the key, so it is found while peppers rotate',
    removal: {
      file: 'service/src/access/revoke-key.ts',
      text: 'deps.rateLimits.markRevoked(revoked.accountId, revoked.keyId)',
      replacement: "deps.rateLimits.markRevoked(revoked.accountId, 'the former hash')",
    },
    test: { file: ACCESS_TEST, name: 'a key that is revoked while peppers rotate is refused' },
  },
  {
    id: 'T4',
    defence: 'Every node removes a changed key from its cache when PostgreSQL notifies it',
    removal: {
      file: 'service/src/access/access-control.ts',
      text: "else if (change.kind === 'key') this.#callers.forget",
      replacement: "else if (change.kind === 'key') void",
    },
    test: { file: STATES_TEST, name: 'it has lost Redis: as soon as it is notified' },
  },
  {
    id: 'T27',
    defence: 'The text of a venue is in the member untrusted_text, apart from our own text',
    removal: { file: 'service/src/mcp/untrusted-text.ts', text: "  'question',\n", replacement: '' },
    test: { file: 'service/test/mcp/injection.test.ts', name: 'changes no shape' },
  },
  {
    id: 'T28',
    defence: 'MCP has no sessions: a request that names one is refused',
    removal: {
      file: 'service/src/mcp/message-exchange.ts',
      text: "request.headers['mcp-session-id'] !== undefined",
      replacement: "request.headers['mcp-session-id'] === 'none'",
    },
    test: { file: MCP_TEST, name: 'the server is stateless' },
  },
  {
    id: 'I18',
    defence: 'A live book that is older than a minute is not served',
    removal: {
      file: 'service/src/endpoints/shared/live-book.ts',
      text: 'LIVE_FOR_MS = 60_000',
      replacement: 'LIVE_FOR_MS = 60_000_000',
    },
    test: {
      file: 'service/test/http/markets-book.test.ts',
      name: 'in a gap the last trusted book is served with its age',
    },
  },
  {
    id: 'I23',
    defence: 'A slow reader is told which slots it did not get',
    removal: {
      file: 'service/src/gateway/channels/row-stream.ts',
      text: 'if (frames > 0) this.outlet.send(skippedFrame',
      replacement: 'if (frames < 0) this.outlet.send(skippedFrame',
    },
    test: { file: 'service/test/gateway/slow-reader.nightly.test.ts', name: 'gets one notice and the newest book' },
  },
  {
    id: 'I25',
    defence: 'A live market that is requested by its condition id is not shown as expired',
    removal: {
      file: 'service/src/endpoints/markets/get-market.ts',
      text: 'expired: !isOpen',
      replacement: 'expired: true',
    },
    test: { file: 'service/test/http/markets-by-slug.test.ts', name: 'a condition id of a live market has live flags' },
  },
  {
    id: 'I26',
    defence: 'A node that shuts down closes its streams with 1001 and a notice to connect again',
    removal: {
      file: 'service/src/gateway/connection/open-connections.ts',
      text: "writer.close(CLOSE_CODES.going_away, 'going_away', { ...closing, retry_after_ms: RETRY_AFTER_MS })",
      replacement: 'writer.socket.terminate()',
    },
    test: { file: ENTRY_TEST, name: 'with 1001 and a notice when its node shuts down' },
  },
  {
    id: 'I32',
    defence: 'A node remembers a valid key for at most five seconds',
    removal: { file: KNOWN_CALLERS, text: 'const FRESH_MS = 5_000', replacement: 'const FRESH_MS = 50_000' },
    test: { file: STATES_TEST, name: 'when its memory is five seconds old' },
  },
  {
    id: 'I32',
    defence: 'A node that reaches no store admits a known key for at most a minute',
    removal: { file: KNOWN_CALLERS, text: 'const GRACE_MS = 60_000', replacement: 'const GRACE_MS = 600_000' },
    test: { file: STATES_TEST, name: 'after a minute of grace' },
  },
  {
    id: 'I32',
    defence: 'A remembered key or tier ends at its time, by the clock of PostgreSQL',
    removal: { file: KNOWN_CALLERS, text: 'caller.end.atMs <= this.#nowMs()', replacement: 'caller.end.atMs < 0' },
    test: { file: ACCESS_TEST, name: 'a cached key or tier ends at its time' },
  },
  {
    id: 'I32',
    defence: 'A stream or replay ends at the known end of its key or tier, also without PostgreSQL',
    removal: { file: WATCH, text: 'if (over.length > 0) void this.#finish(over)', replacement: '' },
    test: { file: ENDS_TEST, name: 'streams and replays end with their key and tier, and changes arrive' },
  },
  {
    id: 'I32',
    defence: 'A node asks for the keys of its open streams every three seconds, in case no notification arrives',
    removal: { file: WATCH, text: 'const CHECK_EVERY_MS = 3_000', replacement: 'const CHECK_EVERY_MS = 3_000_000' },
    test: { file: ENDS_TEST, name: 'nobody notifies it' },
  },
  {
    id: 'I32',
    defence: 'A node that has lost PostgreSQL ends the streams of revoked keys by their marks in Redis',
    removal: { file: WATCH, text: 'if (marked.revokedKeyIds.has(keyId))', replacement: "if (keyId === '')" },
    test: { file: ENDS_TEST, name: 'it has lost PostgreSQL' },
  },
  {
    id: 'I32',
    defence: 'Nodes that are notified of a changed account mark it in Redis for nodes that have lost PostgreSQL',
    removal: {
      file: 'service/src/access/revocations.ts',
      text: "if (change.kind === 'account') deps.marks",
      replacement: "if (change.kind === 'account' && change.accountId === '') deps.marks",
    },
    test: { file: ENDS_TEST, name: 'it has lost PostgreSQL' },
  },
  {
    id: 'I32',
    defence: 'A node that reaches neither PostgreSQL nor Redis ends its streams',
    removal: {
      file: WATCH,
      text: '>= unconfirmedForMs) this.#end(each, unconfirmed())',
      replacement: '>= unconfirmedForMs) continue',
    },
    test: { file: ENDS_TEST, name: 'it has lost both' },
  },
  {
    id: 'I34',
    defence: 'An account has at most the connections of its tier, on all nodes together',
    removal: {
      file: 'service/src/stores/accounts/ws-leases.ts',
      text: '>= tonumber(ARGV[2]) then return 0 end',
      replacement: '>= 1000 then return 0 end',
    },
    test: { file: ENTRY_TEST, name: 'an account has at most the connections of its tier' },
  },
  {
    id: 'I34',
    defence: 'The connections of a killed node count for nine seconds',
    removal: {
      file: 'service/src/stores/accounts/ws-leases.ts',
      text: 'LEASE_MS = 9_000',
      replacement: 'LEASE_MS = 90_000',
    },
    test: { file: ENDS_TEST, name: 'the connections of a killed node are free within 10 s' },
  },
  {
    id: 'I34',
    defence: 'A connection whose place was taken by others is closed',
    removal: {
      file: 'service/src/gateway/admission/stream-admission.ts',
      text: 'held[index] === false',
      replacement: 'held[index] === undefined',
    },
    test: { file: ENTRY_TEST, name: 'when others have taken its place' },
  },
  {
    id: 'I35',
    defence: 'The request log has the template of the path, without values that may be keys',
    removal: {
      file: 'service/src/http/request-log.ts',
      text: 'const path = routeOf(request)',
      replacement: 'const path = request.url',
    },
    test: {
      file: 'service/test/account/leaked-secrets.test.ts',
      name: 'no key, session, pepper or secret is in a log',
    },
  },
  {
    id: 'I36',
    defence: 'A stream of a perpetual future needs a tier with live exchange books',
    removal: {
      file: 'service/src/gateway/markets/resolve-selectors.ts',
      text: "requireUse(tier, 'live_exchange_book')",
      replacement: 'void tier',
    },
    test: { file: MATRIX_TEST, name: 'a live exchange book over WebSocket' },
  },
  {
    id: 'I36',
    defence: 'What an endpoint or tool needs of the tier is checked for REST, MCP and streams in one place',
    removal: {
      file: 'service/src/pipeline/authorise.ts',
      text: 'if (capability !== undefined) requireUse',
      replacement: 'if (capability === undefined) void requireUse',
    },
    test: { file: MATRIX_TEST, name: 'a simple stream' },
  },
]

import { choice, chosen, exact, namedTest, type Statement } from './statement.ts'

/** Parts 5 to 7 of the interface. */
export const ACCESS: readonly Statement[] = [
  chosen(
    '5-01',
    'Data endpoints take `X-API-Key` with a key that has a fixed prefix.',
    [
      choice(
        '`br_live_`, 32 random characters and a checksum of 6.',
        'The prefix is left open; a checksum finds typing errors, and secret scanners find the pattern.',
      ),
    ],
    'key.header',
    namedTest(
      'service/src/access/key-format.test.ts',
      'new keys are valid, match the published pattern and are unique',
    ),
  ),
  chosen(
    '5-02',
    'Public endpoints need no key.',
    [
      choice(
        'A key, good or bad, is ignored there, except with `format=csv` or `tsv`, which need a key of an upper tier.',
        '403 for flat files is a rule of the interface, and a tier is known by a key only.',
      ),
    ],
    'key.public format.public',
    namedTest('service/test/http/spine.test.ts', 'a public response as a flat file needs a key of an upper tier'),
  ),
  chosen(
    '5-03',
    'Keys, tier, subscription and invoices take a browser session of an identity provider; a key alone is 401.',
    [choice('OpenID Connect with PKCE.', 'The kind of identity provider is left open.')],
    'session.required session.own-pages',
    namedTest(
      'service/test/account/sign-in.test.ts',
      'a code with the right state but of another sign-in is refused by PKCE',
    ),
  ),
  exact(
    '5-04',
    'A signed-in user creates keys with a label; the text is shown once.',
    'keys.life',
    namedTest('console/test/keys.test.ts', 'a user signs in, creates a key, uses it, revokes it and signs out'),
  ),
  chosen(
    '5-05',
    'A missing or invalid key is 401 with the error object.',
    [
      choice(
        'Unknown, revoked and expired keys get the same answer; a missing and a malformed key are told apart. Many failures from one address are 429.',
        'Nobody should learn whether a key ever existed.',
      ),
    ],
    'key.missing key.invalid error.object',
    namedTest(
      'service/test/access/access-control.test.ts',
      'unknown, revoked and expired keys get the same refusal; no key and a malformed key get others, and all name the headers',
    ),
  ),
  chosen(
    '5-06',
    'Without credits or permission: 402 (snapshot history) or 403 (features of a tier).',
    [
      choice(
        '402 also for the file of an hour, the only other endpoint that costs credits.',
        'There too, credits are missing and not a permission.',
      ),
    ],
    'credits.none tier.category-refused exchange-book.tiers',
    namedTest('service/test/http/export.test.ts', 'without enough credits no file is built'),
  ),
  chosen(
    '5-07',
    'A user has a maximum number of keys (`limits.maxKeys`, 5 for pro).',
    [
      choice(
        'free 1, scale 10, enterprise 20; one more is 403 `key_limit_reached`.',
        'Only pro is shown; status and code are left open.',
      ),
    ],
    'keys.maximum',
    namedTest(
      'service/test/account/keys.test.ts',
      'of 200 keys created concurrently on two nodes, on a tier of 5, exactly 5 are created',
    ),
  ),
  chosen(
    '5-08',
    'Format and header of the session are left open.',
    [
      choice(
        "A random id in a `__Host-` cookie that scripts can't read; the session is stored on the server, ends after 30 minutes without a request and after 12 hours.",
        "A stolen page script can't take the session along.",
      ),
    ],
    'session.required session.not-cached',
    namedTest(
      'service/test/account/sessions.test.ts',
      'a session ends after half an hour without a request, and each request extends it',
    ),
  ),
  chosen(
    '6-01',
    'Health reports a WebSocket service and tiers list a maximum of connections; channels and messages are left open.',
    [
      choice(
        '`/v1/stream` has a protocol of its own, published as AsyncAPI: channels for books, best prices, trades, markets and status; resuming; replays in the same frames.',
        'One protocol for live and past data lets the same program do both.',
      ),
      choice('Connections: free 0, pro 1, scale 5, enterprise 10, counted over all nodes.', 'Only pro is shown.'),
    ],
    'health.parts packs.tiers events.health events.connections',
    namedTest(
      'service/test/gateway/entry.test.ts',
      'an account has at most the connections of its tier, over all nodes together',
    ),
    namedTest(
      'service/test/gateway/live.test.ts',
      'sends every slot once and in order, changed or not, each with the number before it',
    ),
  ),
  chosen(
    '6-02',
    'Events are left open.',
    [
      choice(
        'Gaps, trades, and markets that open, become dark or are resolved are events of the stream.',
        'A client must notice each of them without polling.',
      ),
    ],
    namedTest(
      'service/test/gateway/live.test.ts',
      'sends each trade once, and announces when a market becomes dark and live again',
    ),
  ),
  exact('7-01', 'The error body has `error`, `message` and `status`.', 'error.object'),
  chosen(
    '7-02',
    '401: missing or invalid key; a key on a session endpoint.',
    [choice('With `WWW-Authenticate`.', 'HTTP requires it.')],
    'key.missing key.invalid session.required',
  ),
  chosen(
    '7-03',
    '402: no credits, or the tier does not permit it, declared on the snapshots list.',
    [
      choice(
        '`out_of_credits` where credits are charged; `tier_not_allowed` as 402 on the snapshots list only.',
        'It is declared there only.',
      ),
    ],
    'credits.none credits.none-needed tier.category-refused tier.history-refused',
  ),
  chosen(
    '7-04',
    '403: the tier does not permit it: live exchange book, csv and tsv.',
    [
      choice(
        'Also for categories and for history outside the tier, for a missing scope of a key, and for one key too many.',
        'The interface names 403 for tiers; these are restrictions of the same kind.',
      ),
    ],
    'exchange-book.tiers format.tiers session.format format.public tier.category-named tier.history-refused',
  ),
  chosen(
    '7-05',
    '404: unknown market or slug; no exchange data for 60 s; book by slug of an inactive market.',
    [
      choice(
        'Also for a malformed id, a book by id without data for 60 s, and a path that does not exist.',
        'Nothing has that id.',
      ),
    ],
    'book.closed book.unknown book.none slug.unknown slug.closed-book exchange-book.no-recent-data snapshots.unknown snapshot-at.unknown snapshot-at.none summary.unknown',
  ),
  chosen(
    '7-06',
    '429: rate limit exceeded, declared on two endpoints.',
    [choice('On every endpoint with a key.', 'The limit belongs to the account, not to an endpoint.')],
    'http.declared-statuses rate.every-endpoint rate.exact',
  ),
  chosen(
    '7-07',
    '500: server error, listed for endpoints.',
    [
      choice(
        '503 when a database is unavailable or the process is overloaded, with `Retry-After`; 500 only for errors of the program.',
        'A client should retry the first, and report the second.',
      ),
    ],
    'http.declared-statuses',
    namedTest(
      'service/src/domain/api-error.test.ts',
      'every fault has a snake_case code, an error status and a sentence for the documentation',
    ),
  ),
  chosen(
    '7-08',
    'The values of `error` are left open.',
    [choice('Stable codes in snake_case from one table; the message may change.', 'A program compares the code.')],
    'error.object',
    namedTest(
      'service/src/domain/api-error.test.ts',
      'every fault has a snake_case code, an error status and a sentence for the documentation',
    ),
  ),
]

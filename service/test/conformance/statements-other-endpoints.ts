import { choice, chosen, exact, namedTest, type Statement } from './statement.ts'

/** Parts 4.3 to 4.7 of the interface. */
export const OTHER_ENDPOINTS: readonly Statement[] = [
  chosen(
    '4.3-01',
    'GET /v1/markets/{id}/snapshots: from (included), to (excluded), limit 1 to 500 (default 100), side; pages of snapshots for 10 credits.',
    [
      choice(
        '`limit` counts token snapshots. Order: by slot, UP before DOWN; rising if `from` is given, else newest first; `order` changes it.',
        'The order is not shown; without a start the newest rows are most useful.',
      ),
      choice(
        '`cursor` and `next_cursor` make the pages; a page has its `gaps` and `coverage`; on the free tier `history_from` is the oldest time included.',
        'The interface says paginated, not how; missing data must be visible.',
      ),
      choice(
        'Times may also be epoch seconds or milliseconds, from 2020 to 2099; the error states the bounds.',
        'Many programs have epoch times; another time is a mistake, such as seconds read as milliseconds.',
      ),
      choice(
        '`from` not before `to` is 400 and free, on every endpoint.',
        'An empty range is a mistake of the caller, and the answer would be charged.',
      ),
      choice(
        '`includebook=false` leaves ladders out; `dry_run=true` tells rows and credits for free.',
        'The price should be known before it is paid.',
      ),
      choice(
        'Only a delivered 200 is charged, an empty page too. A repeated request with the same `Idempotency-Key` is free.',
        'The interface says per call; errors are not paid for.',
      ),
    ],
    'range.from-before-to range.refusal-is-free snapshots.range snapshots.limit snapshots.default-limit snapshots.side snapshots.order snapshots.pages snapshots.pages-while-recording snapshots.includebook snapshots.empty credits.price credits.refused-free credits.dry-run credits.idempotency bounds.times snapshots.invalid bounds.first-time bounds.no-times',
    namedTest(
      'service/test/http/snapshots-list.test.ts',
      'filters from and to by capture time, the start included and the end not',
    ),
  ),
  chosen(
    '4.3-02',
    'GET /api/snapshot: time and market required, `includebook` false by default; the closest snapshot of the market.',
    [
      choice(
        'One object: the UP token, or the one that `side` names; the other is in `counterpart`. `distance_ms` is the distance in time.',
        'A market has two tokens, and the interface speaks of one snapshot.',
      ),
      choice(
        'A snapshot more than a minute away is not returned: 404 `no_snapshot` with the recorded range and the gap.',
        'Further away it is another situation of the market.',
      ),
      choice('`direction=before` returns nothing captured after the time.', 'A backtest must not see the future.'),
    ],
    'snapshot-at.nearest snapshot-at.required snapshot-at.includebook snapshot-at.side snapshot-at.before snapshot-at.none',
    namedTest(
      'service/test/http/snapshots-at.test.ts',
      'returns the row captured nearest to the time, UP with DOWN as its counterpart, without ladders',
    ),
  ),
  chosen(
    '4.3-03',
    'GET /api/snapshot/latest: optional coin, timeframe and `includebook`; the last five snapshots.',
    [
      choice(
        'A bare list of five rows of live markets, the newest slot first; of one slot the market that ends first. Each is the UP token with DOWN in `counterpart`.',
        'Neither envelope nor order is shown.',
      ),
      choice(
        'Every coin and timeframe is accepted, also 4h and those of other categories.',
        'All that is recorded is served.',
      ),
    ],
    'latest.five latest.filters latest.includebook latest.unknown-coin',
    namedTest(
      'service/test/http/snapshots-at.test.ts',
      'returns five rows of live markets, the newest slot first, of one slot the market that ends soonest',
    ),
  ),
  chosen(
    '4.3-04',
    'GET /api/debug: capture rates, buffer depths, error counts.',
    [
      choice(
        '`rates`, `depths`, `errors`, `processes` and `plans`, under the names of the metrics.',
        'The body is not shown.',
      ),
    ],
    'debug.counters',
    namedTest(
      'service/test/http/system.test.ts',
      'counters of two processes are added up by label, rates and depths beside them, without Node metrics',
    ),
  ),
  chosen(
    '4.3-05',
    'GET /v1/stats: totals of snapshots, by category, and counters of the pipeline.',
    [
      choice(
        '`total_snapshots`, `categories`, `exchange` and `pipeline`; counts are of token snapshots.',
        'The body is not shown.',
      ),
    ],
    'stats.totals',
    namedTest(
      'service/test/http/system.test.ts',
      'the sum over categories is the total, and counts two tokens for each stored row',
    ),
  ),
  chosen(
    '4.4-01',
    'GET /v1/exchange/orderbook: symbol (four coins, or all seven) and exchange required; the latest book, up to 20 levels a side.',
    [
      choice('All eight coins.', 'The two descriptions differ; eight are recorded.'),
      choice('`age_ms`, `event_age_ms` and `touch_age_ms` are added.', 'A bot must know how old a book is.'),
    ],
    'exchange-book.members exchange-book.coins exchange-book.required exchange-book.names',
    namedTest('service/test/http/exchange.test.ts', 'has the members of the interface first and in its order'),
  ),
  chosen(
    '4.4-02',
    'GET /v1/exchange/snapshots: symbol, from, to, limit 1 to 500 (default 100); a list of snapshots.',
    [
      choice(
        'A bare list of objects like the live book, for every tier, free. The cursor is in `X-Next-Cursor`.',
        'The records are not shown; only the live book is restricted.',
      ),
      choice('`exchange` is optional, all eight coins are accepted, and `order` is added.', 'As in 4.4-01.'),
      choice(
        'Without `from` the list reaches 24 hours before `to`; `X-From` tells it.',
        'Without a bound an old coin would be read from its first day.',
      ),
    ],
    'exchange-snapshots.coins exchange-snapshots.range exchange-snapshots.order exchange-snapshots.exchange exchange-snapshots.limit exchange-snapshots.pages exchange-snapshots.invalid paging.header',
    namedTest('service/test/http/exchange.test.ts', 'without a time the newest come first, and the range is returned'),
  ),
  chosen(
    '4.4-03',
    'Only rows of the last 60 s are live; otherwise 404 with the message `No recent data`.',
    [
      choice(
        'Sample and book of the venue must both be from the last 60 s, and both sides must have levels. `Retry-After` is sent.',
        'A new sample of an old book is not live data.',
      ),
    ],
    'exchange-book.no-recent-data exchange-book.fresh',
    namedTest(
      'service/test/http/exchange.test.ts',
      'is `No recent data`: an empty side, a sample older than a minute, a book that the venue stopped renewing',
    ),
  ),
  exact('4.4-04', 'The live exchange book is for scale and enterprise; free and pro get 403.', 'exchange-book.tiers'),
  chosen(
    '4.5-01',
    'GET /v1/api-keys: 200, keys with previews and usage.',
    [
      choice(
        'A bare list of the keys that work, oldest first: id, label, preview, scopes, times, limit, and usage of today and of 30 days.',
        "The body is not shown; revoked keys can't be used any more.",
      ),
    ],
    'keys.life keys.methods',
  ),
  chosen(
    '4.5-02',
    'POST /v1/api-keys: 201, the new key, shown once.',
    [
      choice(
        'Body: `label` (1 to 64 characters); optional `expiresAt`, `scopes`, `creditLimit`; the older `expires_at` and `credit_limit` stay accepted. Only a hash of the key is stored.',
        'The body is not shown; `expiresAt` is the name in 2.9 and 2.10.',
      ),
      choice(
        'A request must come from our own pages: `Origin` and `X-Requested-With`, else 403 `cross_site_refused`.',
        'A browser sends cookies along with requests of other sites too.',
      ),
    ],
    'keys.life keys.invalid session.own-pages names.account',
    namedTest(
      'service/test/access/keys.test.ts',
      'the database holds no key in clear text, and the hash is useless without the pepper',
    ),
  ),
  chosen(
    '4.5-03',
    'DELETE /v1/api-keys/{key_id}: 204 without a body.',
    [
      choice(
        'A key that is unknown, foreign or revoked already is 404 `key_not_found`.',
        'The answer must not tell whether a foreign key exists.',
      ),
    ],
    'keys.life keys.unknown',
    namedTest(
      'service/test/account/keys.test.ts',
      'keys of other accounts can neither be listed nor revoked, and the error does not reveal that they exist',
    ),
  ),
  exact('4.5-04', 'GET /v1/user/tier: 200, the tier.', 'user-tier.members'),
  exact('4.5-05', 'GET /v1/payments/subscription: 200, the subscription.', 'subscription.members'),
  chosen(
    '4.5-06',
    'POST /v1/payments/create-invoice: 200, details of an invoice of an external crypto processor.',
    [
      choice(
        'Body: `pack`, optional `currency`. Answer: `invoiceId`, `invoiceUrl`, `pack`, `priceUsd`, `status`, `createdAt`, `expiresAt`, `paidAt`.',
        'Both are not shown; the names follow `priceUsd` and `expiresAt` of the interface.',
      ),
      choice(
        'The same `Idempotency-Key` returns the same invoice; another body under it is 409. At most five invoices are unpaid at a time.',
        'A repeated request must not charge twice.',
      ),
      choice('Without a payment processor 501, while it is unavailable 503.', 'Neither is an error of the caller.'),
    ],
    'invoice.create invoice.invalid invoice.idempotency',
    namedTest(
      'service/test/payments/create-invoice.test.ts',
      'an invoice is created at the processor, and its owner can read its state',
    ),
  ),
  chosen(
    '4.5-07',
    'An API key alone on these endpoints is 401.',
    [choice('Where no identity provider is configured they are 501.', 'Nobody can have a session there.')],
    'session.required session.not-cached',
    namedTest(
      'service/test/account/sessions.test.ts',
      'without an identity provider, everything that needs a session says so',
    ),
  ),
  chosen(
    '4.6-01',
    'GET /v1/api-keys/validate: whether the key is active, its tier and its credits.',
    [
      choice(
        '`valid` and `label` in addition; it works with every scope.',
        'Who has several keys sees which one was used.',
      ),
    ],
    'key.validate',
    namedTest('service/test/http/key-limits.test.ts', 'a key is validated whatever its scopes, and a wrong one is 401'),
  ),
  chosen(
    '4.7-01',
    'Twelve response bodies are left open.',
    [
      choice(
        'Each is published with its types and compared with every answer in the tests.',
        'A client can rely on a published shape only.',
      ),
    ],
    'health.parts status.ninety-days public-stats.figures summary.figures stats.totals debug.counters',
    namedTest(
      'service/test/conformance/conformance.test.ts',
      'a response that violates the published schema is detected',
    ),
  ),
  chosen(
    '4.7-02',
    'Two request bodies are left open.',
    [
      choice(
        'They are published; a member that does not exist is 400.',
        'A misspelt limit would create an unlimited key.',
      ),
    ],
    'keys.invalid invoice.invalid',
  ),
]

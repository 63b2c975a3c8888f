import { choice, chosen, exact, namedTest, type Statement } from './statement.ts'

/** Parts 8 and 9 of the interface. */
export const LIMITS: readonly Statement[] = [
  chosen(
    '8-01',
    '`limit` of snapshots: 1 to 500, default 100, on both lists.',
    [choice('Out of range is 400 with the range, never cut.', 'Who asks for 1,000 and gets 500 believes to have all.')],
    'snapshots.limit snapshots.default-limit exchange-snapshots.limit limit.refused',
  ),
  exact('8-02', '`limit` of live markets: 1 to 5,000.', 'live-list.limit limit.refused'),
  chosen(
    '8-03',
    '`offset`: 0 by default.',
    [choice('A negative number or none is 400; behind the end the list is empty.', 'The interface gives no bounds.')],
    'live-list.offset live-list.offset-refused',
  ),
  chosen(
    '8-04',
    'A snapshots list costs 10 credits per call.',
    [
      choice(
        'Every other endpoint of the interface is free, and `X-Credits-Cost` tells the price of each answer.',
        'No other price is listed.',
      ),
    ],
    'credits.price credits.exact credits.free-endpoints',
  ),
  chosen(
    '8-05',
    'Pro has 300 requests per minute.',
    [
      choice(
        'Counted for the account over all its keys; up to 300 at once. Refused requests count too.',
        'The interface does not say per what; several keys must not multiply a tier.',
      ),
    ],
    'rate.exact rate.headers subscription.pro-limits',
    namedTest(
      'service/test/access/access-control.test.ts',
      'keys of one account share one rate limit, and a refusal says when to retry',
    ),
  ),
  exact(
    '8-06',
    'Pro has one WebSocket connection.',
    'subscription.pro-limits events.connections',
    namedTest(
      'service/test/gateway/entry.test.ts',
      'an account has at most the connections of its tier, over all nodes together',
    ),
  ),
  chosen(
    '8-07',
    'Pro has a history depth of 0 hours.',
    [
      choice(
        '0 means no bound. Free has 24 hours; older data is refused, never cut silently.',
        'A paid tier without any history makes no sense.',
      ),
    ],
    'tier.history-unlimited tier.history-refused tier.history-included subscription.pro-limits',
  ),
  exact(
    '8-08',
    'Pro has at most five keys.',
    'keys.maximum subscription.pro-limits',
    namedTest(
      'service/test/access/keys.test.ts',
      'revoked and expired keys do not count for the key limit, working ones do',
    ),
  ),
  chosen(
    '8-09',
    'Pro has full MCP access.',
    [choice('Free has `read`: tools for live data and the catalogue.', 'Only pro is shown.')],
    'subscription.pro-limits',
    namedTest('service/test/mcp/tools.test.ts', '%s: are those of its tier, named, described, and read-only'),
  ),
  exact('8-10', 'The live exchange book is at most 60 s old.', 'exchange-book.fresh exchange-book.no-recent-data'),
  exact(
    '8-11',
    'The history list is cached for 30 s.',
    'history-list.cache',
    namedTest(
      'service/test/http/markets-history.test.ts',
      'the history list is cached with a max-age; the recent list is always current',
    ),
  ),
  exact('8-12', 'The exchange book has 20 levels.', 'exchange-book.members'),
  chosen(
    '8-13',
    'Credits of the plans: pro 50,000, scale 500,000, enterprise 5,000,000.',
    [choice('Granted every month; free has 5,000.', 'The interface gives no period; the packs are monthly.')],
    'packs.catalogue packs.tiers',
    namedTest(
      'service/test/payments/plans.test.ts',
      'a bought year grants twelve times the credits, month by month, including months without any request',
    ),
  ),
  chosen(
    '8-14',
    'Rates of other tiers are left open.',
    [choice('free 60, scale 1,000, enterprise 3,000 requests per minute.', 'Between and around the 300 of pro.')],
    'rate.headers packs.tiers',
  ),
  chosen(
    '8-15',
    'Headers of the rate limit are left open.',
    [
      choice(
        '`RateLimit-Limit`, `-Remaining`, `-Reset` and the same with `X-`, on every answer to a valid key, also on errors; `Retry-After` on 429 and 503.',
        'Clients know one or the other name.',
      ),
      choice(
        'A path that does not exist and a wrong method are refused before the key is read, so they have no such headers and do not count.',
        'There is no endpoint whose access could be checked.',
      ),
    ],
    'rate.headers headers.every-status headers.rate-limited',
  ),
  exact('9-01', 'The interface has version 1.0.0.', 'openapi.version'),
  exact('9-02', 'Most paths begin with /v1.', 'http.paths openapi.version'),
  exact(
    '9-03',
    'Snapshot, latest snapshot and debug are under /api, and health has no prefix.',
    'http.paths openapi.version',
  ),
  chosen(
    '9-04',
    'The policy of deprecation is left open.',
    [
      choice(
        'What will be removed is announced a year ahead by `Deprecation`, `Sunset` and a link to its successor, which come from the description of the endpoint.',
        'Standard headers (RFC 9745, RFC 8594) that a client can watch for.',
      ),
    ],
    'versions.deprecation',
  ),
]

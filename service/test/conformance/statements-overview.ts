import { choice, chosen, differs, exact, namedTest, type Statement } from './statement.ts'

/** The introduction and part 1 of the interface. */
export const OVERVIEW: readonly Statement[] = [
  exact(
    '0-01',
    'The service is a REST API for live and stored books of prediction markets and perpetual futures, with catalogue, statistics, account and billing.',
    namedTest('service/test/conformance/conformance.test.ts', 'every endpoint is called'),
  ),
  exact(
    '0-02',
    'The interface has nine parts.',
    namedTest(
      'test/interface-table.test.ts',
      'every sentence and table row of the interface has one statement, in its order',
    ),
  ),
  chosen(
    '0-03',
    '`{base_url}` is the address of the service.',
    [
      choice(
        'The published document names no host: its server is `/`, the address it was read from.',
        'The same document is served by every installation.',
      ),
    ],
    'http.paths',
  ),
  chosen(
    '0-04',
    'In production HTTPS is enforced.',
    [
      choice(
        'HTTPS is required when `NODE_ENV=production`, unless `REQUIRE_HTTPS=false` is set. A plain GET without a secret is redirected (308) to `PUBLIC_URL`. A request with a key, a session or a body is refused with 403 `https_required`. Health checks are answered over plain HTTP too.',
        'The interface does not say how. A redirect would hide from the caller that the key has been sent unencrypted, and a load balancer checks health inside its network.',
      ),
      choice(
        '`X-Forwarded-Proto` counts only from `TRUSTED_PROXIES`; `Strict-Transport-Security` is sent.',
        'Anyone can send the first header; the second keeps browsers on HTTPS.',
      ),
    ],
    'https.required https.proxies https.off https.health',
  ),
  exact('0-05', 'All paths are relative to the base address.', 'http.paths'),
  chosen(
    '0-06',
    'Words in angle brackets stand for values; the interface has no sample data.',
    [
      choice(
        'The published document writes parameters in braces and has a recorded example for every operation.',
        'Braces are the notation of OpenAPI, and a reader needs an example.',
      ),
    ],
    namedTest(
      'service/test/http/documents.test.ts',
      'operation ids are unique, and every example belongs to an existing operation',
    ),
  ),
  chosen(
    '0-07',
    'What is left open is marked as not shown.',
    [
      choice(
        'Every such gap is filled, and the choice is listed in this table with its reason.',
        'A client needs a definite answer.',
      ),
    ],
    namedTest(
      'test/interface-table.test.ts',
      'no cell is empty: a statement is kept exactly or by choices with their reasons, and has a test',
    ),
  ),
  chosen(
    '1-01',
    'Books of binary markets (about four times a second, times in milliseconds) and of perpetual futures are captured, stored and served over HTTP.',
    [
      choice(
        'Perpetual futures are sampled every 500 ms.',
        'The interface gives no rate for them, and the venue sends their books no more often.',
      ),
      choice(
        'Every slot is sampled whether the book changed or not, and the sequence number is the number of the slot.',
        'Consecutive numbers then prove that nothing is missing.',
      ),
    ],
    'stored.as-at-the-venue stored.as-served snapshots.no-silent-gap',
    namedTest(
      'service/test/capture/capture.nightly.test.ts',
      'every followed market has a proved row at every slot, equal to what the venue had at that event',
    ),
  ),
  chosen(
    '1-02',
    'The categories are crypto, sports, economics, weather, social and equities; the lists of values differ between endpoints.',
    [
      choice(
        'Every filter by category takes all six, and `exchange` as well.',
        'One list everywhere; no value of either enumeration is refused.',
      ),
    ],
    'filter.category categories.members',
  ),
  chosen(
    '1-03',
    'The exchange and latest-snapshot endpoints have four coins, the market lists more.',
    [
      choice(
        'All eight recorded coins are accepted everywhere: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC.',
        'All that is recorded is served; the four stay valid.',
      ),
    ],
    'filter.crypto exchange-book.coins latest.filters',
  ),
  exact('1-04', 'There are two tokens and two books to a market.', 'book.two-tokens book.members'),
  chosen(
    '1-05',
    'Sides of crypto up/down markets are UP (yes) and DOWN (no).',
    [
      choice(
        'Every market uses UP for its first token and DOWN for its second, also where the outcomes are called Yes and No.',
        'One name for a side in all endpoints.',
      ),
    ],
    'book.members live-list.outcomes',
  ),
  chosen(
    '1-06',
    'Prices are from 0.01 to 0.99; UP and DOWN add up to about 1.',
    [
      differs(
        'Prices are between 0 and 1 in steps of the tick of the market, down to 0.0001.',
        'The venue has markets with ticks below 0.01; cutting their prices would falsify the book.',
      ),
    ],
    'book.two-tokens book.members',
  ),
  chosen(
    '1-07',
    'Capture is every 250 ms overall; the category list shows an interval for each category (100 to 3,000 ms appear).',
    [
      choice(
        'Shipped intervals: crypto 250 ms, sports 500, equities 1,000, economics and social 2,000, weather 3,000. `CAPTURE_INTERVAL_MS_<CATEGORY>` changes each of them, from 100 to 3,000 ms.',
        'The interface assigns no values to categories; these follow how often the books change.',
      ),
      choice('A market keeps the interval it was first recorded with.', 'Its sequence numbers would jump otherwise.'),
    ],
    'categories.intervals snapshots.no-silent-gap capture.interval-setting capture.interval-kept',
    namedTest(
      'service/test/capture/intervals.nightly.test.ts',
      'a market keeps the interval it was first recorded with when its plan changes; later markets have the new one',
    ),
    namedTest('service/test/capture/interval-settings.nightly.test.ts', 'the categories show the new ones'),
  ),
  chosen(
    '1-08',
    'Health reports the analytics store, the cache, the pipeline and the WebSocket service; how they are built is internal.',
    [
      choice(
        'Members are `analytics_store`, `cache`, `pipeline`, `websocket`, and `accounts` in addition; values are states, never product names, hosts or versions.',
        'The shape is not shown, and details would only help an attacker.',
      ),
    ],
    'health.parts health.no-secrets',
    namedTest('service/test/http/public.test.ts', 'is ok when everything works, with states and nothing else'),
  ),
  exact('1-09', 'Callers have an API key, credits and one of four tiers.', 'key.validate key.missing packs.tiers'),
  exact(
    '1-10',
    'Some operations cost credits, some need a higher tier.',
    'credits.price exchange-book.tiers format.tiers',
  ),
  exact('1-11', 'Health, public statistics, status and packs need no authentication.', 'key.public'),
  exact(
    '1-12',
    'Account operations need a browser session of an identity provider, not an API key.',
    'session.required',
    namedTest(
      'service/test/account/sign-in.test.ts',
      'redirects to where it began, with a cookie that no script and no other site can use',
    ),
  ),
]

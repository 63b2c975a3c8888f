import { choice, chosen, exact, namedTest, type Statement } from './statement.ts'

/** Parts 4, 4.1 and the endpoints of 4.2 of the interface. */
export const MARKET_ENDPOINTS: readonly Statement[] = [
  chosen(
    '4-01',
    'Endpoints are GET unless stated.',
    [
      choice(
        'HEAD is answered like GET without a body, and is free. Another method is 405 with `Allow`.',
        'Usual HTTP; the interface is silent.',
      ),
    ],
    'http.head http.paths method.not-allowed',
  ),
  chosen(
    '4-02',
    'A valid API key is required unless stated.',
    [
      choice(
        '`Authorization: Bearer` is accepted too; `X-API-Key` is used when both are sent.',
        'Many HTTP clients know only the first.',
      ),
    ],
    'key.missing key.invalid key.header',
    namedTest(
      'service/test/http/spine.test.ts',
      'a key is accepted as a Bearer token; X-API-Key decides when both are sent',
    ),
  ),
  chosen(
    '4-03',
    'Part 7 lists the error statuses.',
    [choice('The published document lists the statuses of every endpoint.', 'A generated client needs them there.')],
    'http.declared-statuses',
    namedTest('service/test/http/documents.test.ts', 'passes a strict validator'),
  ),
  chosen(
    '4.1-01',
    'GET /health: health of store, cache, pipeline and WebSocket service.',
    [
      choice(
        '503 with the same body when neither live books nor history can be served.',
        'Load balancers look at the status, not at the body.',
      ),
    ],
    'health.parts',
    namedTest(
      'service/test/http/public.test.ts',
      'is degraded when history hangs, down when live data hangs too, and never waits',
    ),
  ),
  chosen(
    '4.1-02',
    'GET /v1/public-stats: snapshots, active markets, prices of coins, freshness of exchange data.',
    [
      choice(
        'All counts are numbers; a coin without a recent price is left out.',
        'The body is not shown; only the history list has a count as text.',
      ),
    ],
    'public-stats.figures',
  ),
  chosen(
    '4.1-03',
    'GET /v1/status: 90 days of uptime for each service, and the state now.',
    [
      choice(
        'Uptime is the share of successful probes. A probe that was not made counts neither as up nor as down.',
        'A missing measurement is not an outage.',
      ),
      choice('Incidents are listed: at least three failed probes in a row.', 'The body is not shown.'),
    ],
    'status.ninety-days',
    namedTest(
      'service/test/http/public.test.ts',
      'ninety days of every service, equal to what the stored probes say: a missing probe is no data',
    ),
  ),
  exact('4.1-04', 'GET /v1/payments/packs: the catalogue.', 'packs.catalogue'),
  exact('4.2-01', 'GET /v1/categories with `format`: a list of categories.', 'categories.members format.flat-file'),
  chosen(
    '4.2-02',
    'GET /v1/markets/live with filters, limit and offset: a list of live markets.',
    [
      choice(
        'Additional members of an entry: question, event, start, end, timeframe, `status`, names of the outcomes.',
        'Otherwise each entry would need a second request.',
      ),
      choice(
        'Additional parameters: `status` and `form`. Count, limit, offset and filters are in `X-` headers.',
        'A bare list has no envelope.',
      ),
    ],
    'live-list.members live-list.bare-array live-list.status',
  ),
  chosen(
    '4.2-03',
    'GET /v1/markets/by-slug/{slug} with `format`: one market.',
    [
      choice(
        'Additional members: `status`, `start_date`, `outcome_names`, outcome and time of the resolution, `matched_by`, `requested_slug`.',
        'After an inexact search the caller must see what was found.',
      ),
    ],
    'market.members slug.exact slug.condition-id',
  ),
  chosen(
    '4.2-04',
    'GET /v1/markets/by-slug/{slug}/orderbook with `format`: both books.',
    [
      choice(
        'Additional parameters: `includebook` (default true) and `form`.',
        'Figures without ladders are enough for many callers.',
      ),
    ],
    'book.members book.without-ladders slug.series-book',
  ),
  chosen(
    '4.2-05',
    'GET /v1/markets/{id}/orderbook with `format`: both books.',
    [
      choice('Ids are accepted in any case; a malformed id is 404, like an unknown one.', 'It belongs to no market.'),
      choice(
        'In a gap the last trusted book is served with `stale: true` and its age, for at most 60 s; then 404 `No recent data`. A crossed book is never served.',
        'The interface is silent about gaps; the bound is that of the exchange book.',
      ),
      choice(
        'A market that has ended, settling or resolved, has no live book: 404 `market_closed` by id and by slug; streams continue until its resolution.',
        'The interface says so for the book by slug; one rule for all live data.',
      ),
    ],
    'settling.no-live-book book.members book.id-any-case book.unknown book.none book.fresh-for-a-minute book.closed',
    namedTest(
      'service/test/http/markets-book.test.ts',
      'a crossed book is never served: the last one that was not crossed, or none',
    ),
  ),
  chosen(
    '4.2-06',
    'GET /v1/markets/{id}/summary: spread, depth, price range and both sides over the available history.',
    [
      choice(
        'The range is everything recorded that the tier includes; `window` tells it. `coverage` and gaps are added.',
        'The body is not shown; a figure needs its range.',
      ),
    ],
    'summary.figures summary.values summary.unknown',
    namedTest(
      'service/test/http/markets-history.test.ts',
      'its values are computed from the rows, each slot once, the other token by its own ladders or the mirror',
    ),
  ),
  chosen(
    '4.2-07',
    'GET /v1/markets/history/recent: all tracked markets with counts and live status, for a fresh paginated feed.',
    [
      choice(
        'Same envelope, entries and filters as the history list, never cached; `limit`, `cursor` and `since` make the pages.',
        'The body is not shown.',
      ),
    ],
    'history-list.recent-fresh history-list.pages history-list.since',
  ),
  chosen(
    '4.2-08',
    'GET /v1/markets/history with `format` and filters: the envelope, cached for 30 s.',
    [
      choice(
        'Without `limit` everything is returned at once; `next_cursor` is null on the last page. `since` and `status` are added.',
        'The interface has no pages here, and months of markets are many.',
      ),
      choice('`X-Cache-Age` tells the age of the list.', 'A caller can see why a new market is missing.'),
    ],
    'history-list.cache history-list.limit history-list.pages filter.default-all paging.cursor',
  ),
]

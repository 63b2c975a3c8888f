import { choice, chosen, differs, exact, namedTest, type Statement } from './statement.ts'

/** Parts 2.1 to 2.4 of the interface. */
export const MARKET_RESOURCES: readonly Statement[] = [
  exact('2.1-01', '`id`: id of the category configuration, text.', 'categories.members'),
  exact('2.1-02', '`category`: name of the category, text.', 'categories.members'),
  exact('2.1-03', '`displayName`: text for people.', 'categories.members'),
  chosen(
    '2.1-04',
    '`activeMarkets`: how many markets are tracked now, integer.',
    [
      choice(
        'Live and upcoming markets are counted; markets that have ended and wait for their resolution are not.',
        'It then equals the number of entries in the live list.',
      ),
    ],
    'agreement.active-markets',
  ),
  exact(
    '2.1-05',
    '`captureIntervalMs`: time between snapshots, integer in ms.',
    'categories.members categories.intervals',
  ),
  exact(
    '2.1-06',
    '`refreshIntervalMs`: time between two searches for new markets, integer in ms.',
    'categories.members',
  ),
  exact(
    '2.1-07',
    'One entry for each enabled category configuration.',
    'categories.members',
    namedTest(
      'service/test/markets/migrations.test.ts',
      'four concurrent migrators create one set of tables, a later one has nothing to do, and plans match the configuration',
    ),
  ),
  exact('2.1-08', 'Category values are the six of part 1.', 'filter.category categories.members'),
  exact('2.2-01', '`conditionId`: hex id of the market, begins with 0x.', 'live-list.members'),
  exact('2.2-02', '`category`: text.', 'live-list.members'),
  exact(
    '2.2-03',
    '`subcategory`: coin, league, topic or city, in its exact case.',
    'live-list.members filter.subcategory-case',
  ),
  chosen(
    '2.2-04',
    '`label`: text for people.',
    [
      choice(
        'It is the venue’s short title of the market within its event, and the question where there is none.',
        'The interface does not say where it comes from.',
      ),
    ],
    'live-list.members',
  ),
  exact('2.2-05', '`tokenIds`: two texts.', 'live-list.members'),
  chosen(
    '2.2-06',
    '`outcomes`: UP and DOWN for crypto up/down markets, else Yes and No.',
    [
      choice(
        'The names that the venue uses, such as teams, are in `outcomeNames`.',
        'Without them nobody could tell which team Yes stands for.',
      ),
    ],
    'live-list.outcomes',
  ),
  exact('2.2-07', '`configId`: id of the category configuration.', 'agreement.config-id'),
  exact('2.2-08', '`slug`: text.', 'live-list.members agreement.one-market'),
  chosen(
    '2.2-09',
    '`expired`: boolean.',
    [
      choice(
        'A market past its end is expired, also before its resolution. Such markets are listed only when `status` asks for them.',
        'The first entry of a series is then always the current window.',
      ),
    ],
    'live-list.members live-list.status agreement.end-of-market',
  ),
  chosen(
    '2.2-10',
    '`expiresIn`: integer, the key of the order; its unit is not stated.',
    [
      choice(
        'Milliseconds; 0 for a market that has ended.',
        'The magnitudes in the interface are those of milliseconds.',
      ),
    ],
    'live-list.expires-in live-list.soonest-first',
  ),
  chosen(
    '2.2-11',
    'A second, declared form: an object `Market` in snake_case with `tokens` and `active`, in a list wrapped as `{markets}`.',
    [
      choice(
        '`form=declared` returns `{markets}` with exactly these members; counts stay in `X-` headers.',
        'A client of either description works unchanged; the declared wrapper has one member.',
      ),
      choice(
        '`side` is UP for the first token and DOWN for the second, also of Yes and No; `active` is true for live and upcoming markets.',
        'The schema has no other sides; `active` means the same as in 2.3.',
      ),
    ],
    'forms.live-list',
    namedTest(
      'service/test/clients/clients.test.ts',
      'a client generated from the declared schema compiles and reads lists, books and snapshots',
    ),
  ),
  chosen(
    '2.2-12',
    'The two forms disagree; clients should accept a bare and a wrapped list.',
    [
      choice(
        'Without `form`, or with `form=described`, the answer is the bare list. Another value is 400, and so is `form` where an answer has one form. Both forms are in the published document.',
        'One request has one form, so a client does not have to guess; a parameter is never ignored.',
      ),
    ],
    'live-list.bare-array forms.default forms.live-list forms.values',
    namedTest('service/test/clients/clients.test.ts', 'a client written for the described forms works without form'),
  ),
  exact('2.3-01', '`market_id`: the condition id.', 'market.members'),
  exact('2.3-02', '`category` and `subcategory`: text.', 'agreement.one-market market.members'),
  exact('2.3-03', '`label` and `question`: text.', 'agreement.one-market market.members'),
  exact(
    '2.3-04',
    '`crypto`: the coin; empty for other live markets, left out for other closed ones.',
    'market.members market.live-other-category market.closed-other-category',
  ),
  chosen(
    '2.3-05',
    '`crypto_price`: number; left out for closed markets that are not crypto.',
    [
      choice(
        'The price now, or at the end of a closed market, in USD; 0 for live markets of other categories.',
        'The interface does not say of when; clients of other live markets expect the member.',
      ),
      differs('It is also left out where the price of a coin is not known.', '0 would be a wrong price.'),
    ],
    'coin-price.unknown market.live-other-category market.closed-other-category',
    namedTest(
      'service/test/http/markets-by-slug.test.ts',
      'a closed window is found by any time within it, with the coin price at its end',
    ),
  ),
  exact('2.3-06', '`timeframe`: text.', 'agreement.one-market market.members'),
  exact('2.3-07', '`slug`: text.', 'agreement.one-market market.members'),
  exact('2.3-08', '`token_ids`: two texts.', 'agreement.one-market market.members'),
  chosen(
    '2.3-09',
    '`outcomes`: Up and Down for crypto up/down markets.',
    [
      choice(
        'Yes and No for all others; the names of the venue are in `outcome_names`.',
        'As in the live list; the interface names only the first case.',
      ),
    ],
    'market.members market.closed',
  ),
  exact('2.3-10', '`token_id_up` and `token_id_down`: text.', 'agreement.one-market market.members'),
  exact('2.3-11', '`end_date`: time in UTC, ISO 8601.', 'agreement.one-market market.members'),
  chosen(
    '2.3-12',
    '`active`: boolean.',
    [choice('True for live and upcoming markets.', 'An upcoming market is recorded and has a book.')],
    'agreement.end-of-market market.members',
  ),
  chosen(
    '2.3-13',
    '`expired`: boolean.',
    [
      choice(
        'Always the opposite of `active`: true from the end on, also before the resolution.',
        'The interface has no third flag; `status` has the four states.',
      ),
    ],
    'agreement.end-of-market settling.flags market.members',
  ),
  chosen(
    '2.3-14',
    '`expires_in`: integer.',
    [choice('Milliseconds; 0 after the end.', 'The unit is not shown; it is that of `expiresIn`.')],
    'agreement.end-of-market market.members',
  ),
  chosen(
    '2.3-15',
    'Closed markets come from stored metadata with label, question, end, `event_title` and `neg_risk_id`.',
    [
      choice(
        'Live markets have these members too. `event_title` and `neg_risk_id` are left out when the venue has none.',
        'The metadata is the same; an empty text would look like a title.',
      ),
    ],
    'market.closed',
    namedTest(
      'service/test/http/markets-by-slug.test.ts',
      'a closed market has its full identity and its outcome, and neither coin nor price',
    ),
  ),
  chosen(
    '2.3-16',
    'A market without stored metadata is described by capture statistics.',
    [
      choice(
        'Recorded facts come first, then statistics of the rows; `described_by` tells which. `first_seen`, `last_seen`, interval and count are added; active is false and expired true.',
        'Only stored metadata can tell that a market is still open.',
      ),
      choice(
        'With statistics alone, category, slug, question and token ids are empty, and `end_date` is the last slot.',
        'The members are required, and rows do not hold these texts.',
      ),
      choice(
        'Every endpoint finds such a market in the same way. A market of unknown category is for tiers with all categories only.',
        "Its category can't be checked against the tier.",
      ),
    ],
    'market.recorded-facts market.capture-statistics market.no-metadata-no-live-book history.listed-is-answered market.without-metadata',
    namedTest(
      'service/test/http/markets-by-slug.test.ts',
      'a market that only rows know is described by the statistics of its rows',
    ),
  ),
  chosen(
    '2.4-01',
    'The book has eleven members about the market, and `up` and `down` with the same shape.',
    [
      choice(
        'Additional members: `stale`, `age_ms`, `venue`; by slug also `matched_by` and `requested_slug`.',
        'A bot must know how old a book is, and which market was found.',
      ),
      choice(
        '`marketId` equals `market_id`, and `cryptoPrice` equals `crypto_price`.',
        'The interface lists both names.',
      ),
      differs('The price is left out while that of a coin is not known.', '0 would be a wrong price.'),
    ],
    'coin-price.unknown book.members book.other-category',
  ),
  chosen(
    '2.4-02',
    'The members of a token book are listed.',
    [
      choice(
        '`flags` in addition, such as `verified`, `unverified` or `one_sided`, and `proof`: the proof that the venue offers.',
        'A reader should know whether a book was proved equal to that of the venue.',
      ),
    ],
    'book.members',
  ),
  exact('2.4-03', '`tokenId`: text.', 'book.members'),
  chosen(
    '2.4-04',
    '`timestamp`, `eventTimestamp`, `captureTimestamp`: epoch milliseconds.',
    [
      choice(
        '`timestamp` equals `captureTimestamp`; `eventTimestamp` is the time of the venue.',
        'The interface does not say what `timestamp` means.',
      ),
    ],
    'book.members',
  ),
  chosen(
    '2.4-05',
    '`sequenceNumber`: integer.',
    [
      choice(
        'The number of the slot, the same for both tokens.',
        'Consecutive numbers then mean that nothing is missing.',
      ),
    ],
    'book.members',
  ),
  exact('2.4-06', '`outcomeIndex`: 0 for up, 1 for down.', 'book.members'),
  chosen(
    '2.4-07',
    '`bestBid`, `bestAsk`, `midPrice`, `spread`: numbers.',
    [
      choice(
        'Always numbers: without bids the best bid is 0, without asks the best ask is 1, and `flags` has `one_sided`.',
        'The venue uses the same values.',
      ),
    ],
    'book.members',
    namedTest(
      'service/test/http/markets-book.test.ts',
      'a newer row is served at once, although the previous one is cached',
    ),
  ),
  chosen(
    '2.4-08',
    '`bidDepth` and `askDepth`: numbers.',
    [choice('The sum of the sizes of all levels.', 'The interface does not define depth.')],
    'book.members',
  ),
  chosen(
    '2.4-09',
    '`bids` and `asks`: lists of objects with price and size.',
    [choice('All levels, best price first.', 'Order and depth are not shown.')],
    'book.members',
  ),
  chosen(
    '2.4-10',
    'The book by slug has at least seven members, and five in each token book.',
    [choice('It has all members of the book by id.', 'One shape for one thing; the members listed are a subset.')],
    'agreement.same-book book.members',
  ),
  chosen(
    '2.4-11',
    'A declared form of the token book: snake_case, `side`, pairs, `depth5_bid` and `depth5_ask`.',
    [
      choice(
        '`form=declared` returns token books of this form on both orderbook endpoints, with exactly its members, inside the same members of the market. `depth5_*` is the sum of the sizes of the best five levels.',
        'A client of either description works unchanged.',
      ),
    ],
    'forms.book forms.same-book',
  ),
  chosen(
    '2.4-12',
    'The two forms disagree; both are listed.',
    [
      choice(
        'Both are served, chosen by the parameter `form`; the default is the form of the table.',
        'The endpoint list refers to the table.',
      ),
    ],
    'forms.default forms.book',
  ),
]

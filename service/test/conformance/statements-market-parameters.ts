import { choice, chosen, exact, namedTest, type Statement } from './statement.ts'

/** The parameters of part 4.2 of the interface. */
export const MARKET_PARAMETERS: readonly Statement[] = [
  chosen(
    '4.2-09',
    'Rules for parameters follow.',
    [
      choice(
        'An unknown or repeated parameter is 400 and names those allowed.',
        'An ignored, misspelt filter would return wrong data.',
      ),
    ],
    'parameter.unknown parameter.repeated bounds.times snapshots.invalid bounds.published session.unknown-parameter',
  ),
  chosen(
    '4.2-10',
    '`format`: json by default; csv and tsv are flat files with the envelope in `X-` headers, `\\N` for null, ladders as JSON in a cell, for scale and enterprise.',
    [
      choice('`format` is accepted on every GET, also where the interface does not list it.', 'One rule for all.'),
      choice(
        'The whole envelope is in headers: numbers as they are, text percent-encoded, objects and lists as compact ASCII JSON, null not at all. What exceeds 2 kB alone or 4 kB together is a count and a `Link` to the JSON form.',
        'Servers and proxies limit headers to about 8 kB, and nothing may disappear.',
      ),
      choice(
        'Cells hold the data unchanged; `spreadsheet_safe=true` neutralises text that a spreadsheet would run as a formula.',
        'A file for programs must equal the JSON; questions of markets are text of strangers.',
      ),
      choice(
        'A list has a row for each item, a book one for each token, any other answer one row; the order of the columns is fixed.',
        'The interface speaks of rows without saying which; programs read columns by position.',
      ),
    ],
    'format.default-json format.flat-file format.same-values format.levels format.tiers format.unknown flat.nothing-lost flat.values flat.long-lists flat.unchanged flat.spreadsheet-safe forms.files',
  ),
  chosen(
    '4.2-11',
    '`category`: filter; the schema and the category list have different values.',
    [
      choice(
        'The seven values of both are accepted. `exchange` gives an empty list, any other value 400.',
        'No binary market has the category exchange; a misspelt category must not look like an empty one.',
      ),
    ],
    'filter.category filter.exchange filter.unknown-value',
    namedTest('service/test/http/markets-filters.test.ts', 'category %s is accepted'),
  ),
  chosen(
    '4.2-12',
    '`subcategory`: filter in exact case, with values for each category.',
    [
      choice(
        'An unknown value gives an empty list with `X-Empty-Reason`.',
        'New leagues, cities and topics appear at the venue every day, so there is no closed list.',
      ),
    ],
    'filter.subcategory filter.subcategory-case filter.unknown-subcategory',
    namedTest('service/test/http/markets-filters.test.ts', 'subcategory %s is accepted, case-sensitive'),
  ),
  chosen(
    '4.2-13',
    '`crypto`: filter to one coin; excludes other categories.',
    [
      choice(
        'Any case is accepted, and `all`; an unknown coin is 400.',
        '`all` is the documented default of the history list.',
      ),
    ],
    'filter.crypto filter.crypto-any-case filter.default-all',
    namedTest('service/test/http/markets-filters.test.ts', 'coin %s is accepted in any case'),
  ),
  chosen(
    '4.2-14',
    '`timeframe`: series within a category, with values for each; with `crypto` it isolates a series.',
    [
      choice(
        '`all` is accepted; an unknown value is 400.',
        'The interface has a closed list; a misspelt value must not look like an empty series.',
      ),
    ],
    'filter.timeframe filter.combined filter.default-all filter.unknown-value',
    namedTest(
      'service/test/http/markets-filters.test.ts',
      'the timeframes of every category are those of the interface',
    ),
  ),
  chosen(
    '4.2-15',
    '`limit` of live markets: 1 to 5,000, after the filters.',
    [
      choice(
        'Out of range is 400, never cut. Without it there is no limit.',
        'Who asks for 6,000 and gets 5,000 believes to have all.',
      ),
    ],
    'live-list.limit-after-filters live-list.limit',
  ),
  exact('4.2-16', '`offset` of live markets: 0 by default.', 'live-list.offset'),
  chosen(
    '4.2-17',
    '`slug`: exact, partial or with any timestamp, fuzzy matched; one market also by condition id; the book only for active markets.',
    [
      choice(
        'Order: exact slug; the recorded window of the series that contains the timestamp; the current window of the series; beginning of a slug; similar slug, if one is clearly the best; otherwise 404 with candidates. `matched_by` tells which.',
        'The interface names the ways, not their order.',
      ),
      choice(
        'A timestamp is in epoch seconds or milliseconds; anything else after coin and length counts as none.',
        'The venue uses seconds, and clients have both.',
      ),
      choice(
        'Coin and length are never changed, and all five lengths are found although the venue names some markets differently.',
        'Another coin or length would be a wrong market.',
      ),
      choice(
        'If the match has ended, its book is 404, and the error tells which market matched and what to call instead; it is never the book of another window.',
        'The caller named one market.',
      ),
    ],
    'slug.window-at-time slug.current-window slug.book-of-ended-match slug.exact slug.series slug.past-window slug.prefix slug.typing-error slug.any-case slug.condition-id slug.closed-book slug.unknown',
    namedTest(
      'service/src/domain/slug.test.ts',
      'coin and length are read from the up/down form, with the moment in seconds or milliseconds',
    ),
  ),
  chosen(
    '4.2-18',
    'With limit or offset the live list is sorted by `expiresIn`, so that limit=1 is the current window.',
    [
      choice(
        'Ties are sorted by id. The list has the same order without limit.',
        'Pages must fit together; another order was not asked for.',
      ),
    ],
    'live-list.soonest-first live-list.current-window',
  ),
  chosen(
    '4.2-19',
    'An unfiltered call of a full-access tier returns about 2,000 markets.',
    [
      choice(
        'It returns every live and upcoming market; how many there are depends on the venue.',
        'No default limit cuts the list.',
      ),
    ],
    namedTest(
      'service/test/http/markets-live.test.ts',
      'an unfiltered list is a bare array of all live and upcoming markets, with the count in a header',
    ),
  ),
]

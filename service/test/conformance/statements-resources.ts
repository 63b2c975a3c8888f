import { choice, chosen, differs, exact, namedTest, type Statement } from './statement.ts'

/** Parts 2.5 to 3 of the interface. */
export const OTHER_RESOURCES: readonly Statement[] = [
  chosen(
    '2.5-01',
    'A stored snapshot: ids, side, times of venue and capture, sequence number, prices, ladders of pairs, depth of five levels, spot price and its age or null.',
    [
      choice(
        '`flags` and `proof` in addition; with `form=declared` exactly the listed members, while cursor, gaps, coverage and venue around the list stay.',
        'A reader should know whether a book was proved, mirrored or in doubt; a strict client of the schema accepts nothing else in a snapshot.',
      ),
      choice('`sequence_number` is the number of the slot.', 'A jump in it is a gap, the same for every reader.'),
      choice('Times have milliseconds and end in Z.', 'One format for all times as text.'),
    ],
    'snapshot.members snapshot.spot forms.snapshots',
  ),
  chosen(
    '2.6-01',
    'The envelope of the history list: four integer totals and `markets`.',
    [
      choice(
        'Totals are counted after the filters and over all pages. `next_cursor` is added, and `empty_reason` to an empty list.',
        'The interface does not say what the totals cover.',
      ),
    ],
    'history-list.members',
  ),
  chosen(
    '2.6-02',
    'An entry has coin, timeframe, ids, category, times, `snapshot_count` as text, `is_live`, end and question.',
    [
      choice(
        '`snapshot_count` and `total_snapshots` count token snapshots, two for each slot.',
        'They then agree with `limit` and with the rows of the snapshots list.',
      ),
      choice(
        '`crypto` is empty for other categories; `slug` is added.',
        'A caller needs no second request to name the market.',
      ),
    ],
    'history-list.members history-list.counts',
  ),
  chosen(
    '2.7-01',
    '`exchange`: text of the form `<venue>_perp`.',
    [
      choice(
        'The value is `hyperliquid_perp`. As a parameter `hyperliquid` is accepted too.',
        'Venues are not named; this one is recorded.',
      ),
    ],
    'exchange-book.members exchange-book.names',
  ),
  exact('2.7-02', '`symbol`: text.', 'exchange-book.members exchange-book.coins'),
  chosen(
    '2.7-03',
    '`timestamp`: date and time with milliseconds, as text.',
    [choice('The time of capture, ISO 8601 in UTC.', 'Neither format nor meaning is shown.')],
    'exchange-book.members',
  ),
  exact('2.7-04', '`best_bid`, `best_ask`, `mid_price`, `spread`: numbers.', 'exchange-book.members'),
  chosen(
    '2.7-05',
    '`bid_depth_total` and `ask_depth_total`: numbers.',
    [choice('The sum of the sizes of the levels in the answer.', 'The interface does not define depth.')],
    'exchange-book.members',
  ),
  chosen(
    '2.7-06',
    '`bids` and `asks`: up to 20 pairs of price and size.',
    [
      choice(
        'Best price first. The best prices of a faster stream are beside the book (`touch_bid` …), never merged into it.',
        'The venue sends whole books more slowly than best prices.',
      ),
    ],
    'exchange-book.members',
    namedTest('service/test/http/exchange.test.ts', 'a row has the stored values, and the best prices beside the book'),
  ),
  exact('2.8-01', 'The catalogue has `packs` and `tiers`.', 'packs.catalogue packs.tiers'),
  chosen(
    '2.8-02',
    'A pack has id, tier or null, price in USD and credits.',
    [choice('`months` in addition: how long the tier lasts.', 'A monthly and an annual pack would look alike.')],
    'packs.catalogue',
  ),
  exact('2.8-03', '`pro_monthly`: tier pro, 17 USD, 50,000 credits.', 'packs.catalogue'),
  exact('2.8-04', '`scale_monthly`: tier scale, 49 USD, 500,000 credits.', 'packs.catalogue'),
  exact('2.8-05', '`enterprise_monthly`: tier enterprise, 549 USD, 5,000,000 credits.', 'packs.catalogue'),
  chosen(
    '2.8-06',
    '`pro_annual`: tier pro, 126 USD, 50,000 credits.',
    [
      choice(
        'The tier lasts a year, and the credits are granted every month.',
        'The interface does not say for how long; the price is that of a year.',
      ),
    ],
    'packs.catalogue',
    namedTest(
      'service/test/payments/plans.test.ts',
      'a bought year grants twelve times the credits, month by month, including months without any request',
    ),
  ),
  chosen(
    '2.8-07',
    '`scale_annual`: tier scale, 360 USD, 500,000 credits.',
    [
      choice(
        'The tier lasts a year, and the credits are granted every month.',
        'The interface does not say for how long; the price is that of a year.',
      ),
    ],
    'packs.catalogue',
    namedTest(
      'service/test/payments/plans.test.ts',
      'a bought year grants twelve times the credits, month by month, including months without any request',
    ),
  ),
  exact('2.8-08', '`credits_10k`: no tier, 5 USD, 10,000 credits.', 'packs.catalogue'),
  exact('2.8-09', '`credits_100k`: no tier, 20 USD, 100,000 credits.', 'packs.catalogue'),
  exact('2.8-10', '`credits_500k`: no tier, 50 USD, 500,000 credits.', 'packs.catalogue'),
  chosen(
    '2.8-11',
    'The members of `tiers` are left open.',
    [
      choice(
        'For each tier: `rpm`, `wsMax`, `historyHours`, `mcp`, `maxKeys`, `creditsPerMonth`, `categories`.',
        'These are the limits that differ between tiers, under the names of the subscription.',
      ),
    ],
    'packs.tiers',
  ),
  chosen(
    '2.9-01',
    'The tier of a user: eight members.',
    [
      choice(
        '`creditsTotal` is what is left plus what was spent in this calendar month.',
        'Bought credits count too, so that no more can be left than there were.',
      ),
      choice(
        '`expiresAt` of a tier without an end is the time of the next monthly credits.',
        'A time is listed, so there always is one.',
      ),
    ],
    'user-tier.members user-tier.total',
    namedTest(
      'service/test/account/keys.test.ts',
      'tier and subscription show what the account has and what is left of this month',
    ),
  ),
  chosen(
    '2.10-01',
    'The subscription: provider, plan, tier, credits, end and limits.',
    [
      choice(
        'Without a plan, provider `none` and plan `free`; for a tier that an operator set, provider `operator` and the name of the tier as plan.',
        'The interface shows only a paid plan.',
      ),
    ],
    'subscription.members subscription.pro-limits',
    namedTest(
      'service/test/account/keys.test.ts',
      'a tier with an end shows its end date, and afterwards the account is on the free tier',
    ),
  ),
  chosen(
    '2.11-01',
    'An error has `error`, `message` and `status`, all required.',
    [
      choice(
        '`request_id` always, and `details` where a program can use them.',
        'The three members are unchanged; an error can be reported and corrected.',
      ),
    ],
    'error.object',
  ),
  chosen(
    '2.12-01',
    'The records of twelve other answers are left open.',
    [
      choice(
        'They are defined by the published document, and every answer of the tests is compared with it.',
        'A client can rely on a published shape only.',
      ),
      choice(
        '`Health`, `Status`, `PublicStats`, `Stats`, `Debug`, `MarketSummary`, `PerpBook` and the key objects are described on the page of endpoints.',
        'Names follow the interface where it uses a word for the same thing.',
      ),
    ],
    'exchange-snapshots.coins summary.figures stats.totals debug.counters health.parts status.ninety-days public-stats.figures key.validate keys.life',
    namedTest(
      'service/test/conformance/conformance.test.ts',
      'a response that violates the published schema is detected',
    ),
  ),
  chosen(
    '3-01',
    'An active market becomes expired; what moves it is left open.',
    [
      choice(
        'The clock moves it at its end, or an earlier resolution of the venue.',
        'Both end trading; nothing else does.',
      ),
      choice(
        '`status` has four values: upcoming, live, settling (ended, not resolved) and expired.',
        'Between end and resolution a market has no live book, but its result is still open.',
      ),
    ],
    'agreement.end-of-market settling.flags market.closed-flags',
    namedTest(
      'service/test/markets/finding.test.ts',
      'the status of a market follows the clock and the resolution, the same in SQL as in the domain',
    ),
  ),
  chosen(
    '3-02',
    'Revoking a key by a signed-in user answers 204.',
    [
      choice(
        'A revoked key is refused from the next request on, and is no longer listed.',
        'The interface shows no list of revoked keys.',
      ),
    ],
    'keys.life',
    namedTest(
      'service/test/account/keys.test.ts',
      'a key is created, listed without its secret, used, revoked, and then refused at once',
    ),
  ),
  chosen(
    '3-03',
    'The flags are `active`, `expired`, `is_live`, `live_count` and `closed_count`.',
    [
      choice(
        '`is_live` is `active` in the history list; every other market is closed.',
        'The two counts then add up to the total.',
      ),
    ],
    'history-list.live-flag agreement.end-of-market market.live-flags market.closed-flags',
  ),
  chosen(
    '3-04',
    'The transitions of the flags are left open.',
    [
      choice(
        'All flags follow from the times of the market and its resolution, at the time of the request.',
        'No stored flag can be out of date.',
      ),
    ],
    'agreement.end-of-market',
    namedTest(
      'service/test/markets/finding.test.ts',
      'the status of a market follows the clock and the resolution, the same in SQL as in the domain',
    ),
  ),
  chosen(
    '3-05',
    'A live market looked up by raw condition id is reported as inactive and expired; by slug the flags are right.',
    [
      differs(
        'The flags are right in both cases.',
        'The interface calls it a caveat; a wrong flag would mislead every client.',
      ),
    ],
    'market.live-flags',
  ),
]

import { type Defect, defectsIn } from '../defects/defect.ts'

/** How a market is found, and the declared forms. */
export const DEFECTS_OF_MARKETS: readonly Defect[] = [
  ...defectsIn(
    'domain/slug-index.ts',
    ['a time in a slug is ignored', 'atMs === undefined ? undefined : windowHolding(series, atMs)', 'undefined'],
    [
      'a slug with another time finds nothing',
      'const current = windowHolding(series, nowMs)',
      'const current = atMs === undefined ? windowHolding(series, nowMs) : undefined',
    ],
    [
      'the beginning of a slug finds nothing',
      "if (slug === '') return undefined",
      'if (slug.length >= 0) return undefined',
    ],
    ['a similar slug finds nothing', 'CLEARLY_LIKE = 0.6', 'CLEARLY_LIKE = 1.6'],
  ),
  ...defectsIn(
    'endpoints/shared/match-slug.ts',
    ['an ended window is not found by its time', "if (past) return { market: past, matchedBy: 'window_at_time' }", ''],
    ['an ended market is not found by its slug', "if (exact) return { market: exact, matchedBy: 'exact' }", ''],
    [
      'a condition id is no slug',
      'if (isConditionId(requested.toLowerCase())) {',
      'if (isConditionId(requested.toUpperCase())) {',
    ],
    ['the requested slug is not repeated', "...(matchedBy !== 'exact' && { requested_slug: requested })", ''],
  ),
  ...defectsIn('endpoints/shared/find-market.ts', [
    'a market that only ClickHouse knows is not found',
    'return listed ?? found(await recordedMarkets.byId(conditionId))',
    'return listed',
  ]),
  ...defectsIn(
    'endpoints/shared/declared-market.ts',
    ['a declared market is never active', 'active: isActive(status)', 'active: false'],
    ['a declared market is always active', 'active: isActive(status)', 'active: true'],
    ['declared tokens are swapped', "token_id: tokenIds[0], side: 'UP'", "token_id: tokenIds[1], side: 'UP'"],
  ),
  ...defectsIn(
    'endpoints/schemas/declared-token-book.ts',
    ['both declared books are UP', "side: outcomeIndex === 0 ? 'UP' : 'DOWN'", "side: 'UP'"],
    ['declared levels are size and price', '[priceOf(price), sizeOf(size)]', '[sizeOf(size), priceOf(price)]'],
    [
      'the declared depth of bids is that of asks',
      'depth5_bid: depth5Of(ladders.bids)',
      'depth5_bid: depth5Of(ladders.asks)',
    ],
    ['declared books ignore includebook', '...(includeBook && {', '...({'],
  ),
  ...defectsIn('endpoints/schemas/book-figures.ts', [
    'the declared depth has six levels',
    'levels.slice(0, 5)',
    'levels.slice(0, 6)',
  ]),
  ...defectsIn('rendering/token-snapshots.ts', [
    'declared snapshots have more members',
    "isDeclared ? '}'",
    "false ? '}'",
  ]),
  ...defectsIn('endpoints/snapshots/get-snapshot.ts', [
    'the declared snapshot is always UP',
    'declaredSnapshotOf(market, snapshot, { outcome, includeBook',
    'declaredSnapshotOf(market, snapshot, { outcome: 0, includeBook',
  ]),
  ...defectsIn('endpoints/snapshots/list-snapshots.ts', [
    'declared files have more columns',
    'table: tableOf(DeclaredSnapshot)',
    'table: tableOf(TokenSnapshot)',
  ]),
  ...defectsIn('endpoints/forms.ts', [
    'the form is ignored',
    "if (form === 'described' || endpoint.declared === undefined) return endpoint",
    'if (form.length > 0) return endpoint',
  ]),
  ...defectsIn(
    'endpoints/shared/live-book.ts',
    [
      'a settling market has a live book',
      'if (isActive(market.status)) return',
      "if (market.status !== 'expired') return",
    ],
    [
      'an unknown coin price is 0',
      'const spot = isCrypto ? spotPriceOf(snapshot) : 0',
      'const spot = spotPriceOf(snapshot) ?? 0',
    ],
  ),
  ...defectsIn('domain/tier.ts', [
    'every tier may read markets of unknown category',
    "category === '' ? CATEGORIES : [category]",
    "category === '' ? [] : [category]",
  ]),
]

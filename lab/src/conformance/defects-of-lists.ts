import { type Defect, defectsIn } from '../defects/defect.ts'

/** Lists of categories and markets, their filters, order and pages. */
export const DEFECTS_OF_LISTS: readonly Defect[] = [
  ...defectsIn(
    'endpoints/shared/market-filters.ts',
    ['the filter by category is ignored', '...(category !== undefined && { category }),', ''],
    ['the filter by subcategory is ignored', '...(subcategory !== undefined && { subcategory }),', ''],
    ['the filter by coin is ignored', '...(crypto !== undefined && { coin: crypto }),', ''],
    ['the filter by timeframe is ignored', '...(timeframe !== undefined && { timeframe }),', ''],
    ['categories outside the tier are listed', '...(leftOut.length > 0 && { categories: allowed }),', ''],
    [
      'a category outside the tier may be named',
      'if (named !== undefined) require({ category: named })',
      'if (named === "never") require({ category: "crypto" })',
    ],
    [
      'the header with hidden categories is missing',
      "tierScopeFiltered: leftOut.length === 0 ? undefined : leftOut.join(',')",
      'tierScopeFiltered: undefined',
    ],
  ),
  ...defectsIn(
    'endpoints/schemas/parameters.ts',
    ['the largest whole number is refused', 'value >= from && value <= to', 'value >= from && value < to'],
    ['the smallest whole number is refused', 'value >= from && value <= to', 'value > from && value <= to'],
    ['a whole number above the limit is taken', 'value >= from && value <= to', 'value >= from && value <= to + 1'],
    ['a coin must be in upper case', 'text.toUpperCase())', 'text)'],
    ['the timeframe all matches nothing', "if (text === 'all') return undefined", ''],
    ['from may be equal to to', 'to === undefined || from < to', 'to === undefined || from <= to'],
  ),
  ...defectsIn('endpoints/schemas/moment.ts', [
    'epoch seconds are read as milliseconds',
    'value < FIRST_MILLISECONDS ? value * 1_000 : value',
    'value',
  ]),
  ...defectsIn(
    'endpoints/markets/list-live-markets.ts',
    ['the limit of the live list is ignored', 'limit && offset + limit', 'undefined'],
    [
      'the offset of the live list is ignored',
      'markets.slice(offset, limit && offset + limit)',
      'markets.slice(0, limit)',
    ],
    ['the live list accepts 5001 markets', 'MAX_MARKETS = 5_000', 'MAX_MARKETS = 5_001'],
    ['the total count of the live list counts the page', 'totalCount: markets.length }', 'totalCount: limit ?? 0 }'],
    ['the outcomes of windows are Up and Down', "['UP', 'DOWN'] : ['Yes', 'No']", "['Up', 'Down'] : ['Yes', 'No']"],
    ['expired is the opposite', 'expired: !isActive(market.status)', 'expired: isActive(market.status)'],
    ['the live list has no label', 'label: market.label,', "label: '',"],
    ['the configuration of an entry is its slug', 'configId: market.planId', 'configId: market.slug'],
    [
      'the tokens of the live list are swapped',
      'tokenIds: [...market.tokenIds]',
      'tokenIds: [...market.tokenIds].reverse()',
    ],
  ),
  ...defectsIn(
    'endpoints/shared/market-flags.ts',
    ['time until the end is in seconds', 'Math.round(endsAtMs - nowMs)', 'Math.round((endsAtMs - nowMs) / 1_000)'],
    ['a settling market is active', "status === 'live' || status === 'upcoming'", "status !== 'expired'"],
  ),
  ...defectsIn(
    'endpoints/shared/history-list.ts',
    ['the history list ignores its limit', 'rest.slice(0, query.limit)', 'rest'],
    ['the history list counts slots instead of token snapshots', 'recorded.rowCount * TOKENS', 'recorded.rowCount'],
    ['the count of an entry is a number', 'String(listed.snapshotCount)', 'listed.snapshotCount as never'],
    ['live markets are counted as closed', 'closed_count: passing.length - liveCount', 'closed_count: passing.length'],
    ['the total counts the page', 'total_markets: passing.length', 'total_markets: page.length'],
    ['the filter by status is ignored', "(query.status === undefined || isLive === (query.status === 'live'))", 'true'],
    ['the filter by time is ignored', '(query.since === undefined || lastSeenMs >= query.since)', 'true'],
    ['the cursor repeats the last market', 'idOf(listed) > id', 'idOf(listed) >= id'],
    ['the last page has a cursor', 'page.length < rest.length ? cursorAfter(page) : null', 'cursorAfter(page)'],
  ),
  ...defectsIn(
    'endpoints/markets/list-market-history.ts',
    ['the history list is not cached', 'MAX_AGE_MS = 30_000', 'MAX_AGE_MS = 0'],
    ['the history list is cached for a minute', 'MAX_AGE_MS = 30_000', 'MAX_AGE_MS = 60_000'],
    ['the age of the history list is missing', 'aside: { ...aside, cacheAge: ageSeconds }', 'aside'],
  ),
  ...defectsIn('endpoints/markets/list-categories.ts', [
    'active markets are not counted',
    'counts.get(plan.id) ?? 0',
    '0',
  ]),
]

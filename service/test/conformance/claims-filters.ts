import assert from 'node:assert/strict'
import { isEmptyBecause, namesProblem } from './checks.ts'
import { type Check, type Claim, claim, type WrittenCase } from './claim.ts'
import type { ClaimScene } from './claim-scene.ts'
import { LISTED_CATEGORIES, LISTED_COINS, LISTED_SUBCATEGORIES, LISTED_TIMEFRAMES } from './listed-markets.ts'

const LISTS = ['/v1/markets/live', '/v1/markets/history', '/v1/markets/history/recent']
const SETTLED_MS = 120_000
const HOUR_MS = 3_600_000

type Entry = Readonly<Record<string, string | undefined>>

/** The entries of a list, bare or in an envelope. */
export function entriesOf(body: unknown): readonly Entry[] {
  return Array.isArray(body) ? body : ((body as { markets: Entry[] }).markets ?? [])
}

function idOf(entry: Entry): string {
  return entry.conditionId ?? entry.market_id ?? ''
}

/** Neither appears nor ends during the test. */
function isSettled(entry: Entry, scene: ClaimScene): boolean {
  const madeMs = Number(scene.value('made.ms'))
  const firstMs = Date.parse(entry.startDate ?? entry.first_seen ?? '')
  const endMs = Date.parse(entry.endDate ?? entry.end_date ?? '')
  return firstMs < madeMs - SETTLED_MS && (endMs < madeMs - SETTLED_MS || endMs > madeMs + HOUR_MS)
}

const unfiltered = new Map<string, Promise<readonly Entry[]>>()

/** The list without a filter, read once. */
function everythingOf(list: string, scene: ClaimScene): Promise<readonly Entry[]> {
  const known = unfiltered.get(list) ?? scene.ask('pro', list).then(({ body }) => entriesOf(body))
  unfiltered.set(list, known)
  return known
}

/** All matching entries of the unfiltered list, at least one, and nothing else; the unfiltered list has others. */
export function isFilterOf(list: string, matches: (entry: Entry) => boolean): Check {
  return async ({ body }, scene) => {
    const found = entriesOf(body)
    assert.ok(found.length > 0, 'the filtered list is empty')
    assert.deepEqual(
      found.filter((entry) => !matches(entry)),
      [],
    )
    const everything = await everythingOf(list, scene)
    assert.ok(
      everything.some((entry) => !matches(entry)),
      'every market matches the filter',
    )
    const ids = new Set(found.map(idOf))
    const missing = everything.filter((entry) => matches(entry) && isSettled(entry, scene) && !ids.has(idOf(entry)))
    assert.deepEqual(missing.map(idOf), [])
  }
}

function filterCases(name: string, values: readonly string[], member: string): WrittenCase[] {
  return LISTS.flatMap((list) =>
    values.map((value) => ({
      as: 'pro' as const,
      request: `${list}?${name}=${encodeURIComponent(value)}`,
      check: isFilterOf(list, (entry) => entry[member] === value),
    })),
  )
}

function onEveryList(query: string, check: (list: string) => Check): WrittenCase[] {
  return LISTS.map((list) => ({ as: 'pro', request: `${list}?${query}`, check: check(list) }))
}

function refusedOnEveryList(query: string, parameter: string): WrittenCase[] {
  return LISTS.map((list) => ({
    as: 'pro',
    request: `${list}?${query}`,
    status: 400,
    error: 'invalid_request',
    check: namesProblem(parameter),
  }))
}

const isCoin = (coin: string) => (entry: Entry) => entry.category === 'crypto' && entry.subcategory === coin

export const filterClaims: readonly Claim[] = [
  claim(
    '4.2',
    'filter.category',
    'Each value of `category` returns all markets of that category and no others.',
    filterCases('category', LISTED_CATEGORIES, 'category'),
  ),
  claim(
    '4.2',
    'filter.subcategory',
    'Each value of `subcategory` returns all markets of that coin, league, topic or city and no others.',
    filterCases('subcategory', LISTED_SUBCATEGORIES, 'subcategory'),
  ),
  claim(
    '4.2',
    'filter.timeframe',
    'Each value of `timeframe` returns all markets of that timeframe and no others.',
    filterCases('timeframe', LISTED_TIMEFRAMES, 'timeframe'),
  ),
  claim(
    '4.2',
    'filter.crypto',
    'Each value of `crypto` returns all crypto markets of that coin, and no market of another category.',
    LISTS.flatMap((list) =>
      LISTED_COINS.map((coin) => ({
        as: 'pro' as const,
        request: `${list}?crypto=${coin}`,
        check: isFilterOf(list, isCoin(coin)),
      })),
    ),
  ),
  claim(
    '4.2',
    'filter.combined',
    'Filters combine: a market is listed only if it matches all of them.',
    LISTS.flatMap((list): WrittenCase[] => [
      {
        as: 'pro',
        request: `${list}?crypto=BTC&timeframe=hit-price`,
        check: isFilterOf(list, (entry) => isCoin('BTC')(entry) && entry.timeframe === 'hit-price'),
      },
      {
        as: 'pro',
        request: `${list}?category=equities&timeframe=event`,
        check: isFilterOf(list, (entry) => entry.category === 'equities' && entry.timeframe === 'event'),
      },
    ]),
  ),
  claim('4.2', 'filter.crypto-any-case', 'Coins are accepted in upper and lower case.', [
    ...onEveryList('crypto=btc', (list) => isFilterOf(list, isCoin('BTC'))),
  ]),
  claim(
    '4.2',
    'filter.default-all',
    '`crypto` and `timeframe` default to `all`, which is no filter.',
    LISTS.flatMap((list) =>
      ['crypto=all', 'timeframe=all'].map((query) => ({
        as: 'pro' as const,
        request: `${list}?${query}`,
        check: (async ({ body }, scene) => {
          const settled = (entries: readonly Entry[]) =>
            entries
              .filter((entry) => isSettled(entry, scene))
              .map(idOf)
              .toSorted()
          assert.ok(entriesOf(body).length > 20)
          assert.deepEqual(settled(entriesOf(body)), settled(await everythingOf(list, scene)))
        }) as Check,
      })),
    ),
  ),
  claim(
    '4.2',
    'filter.subcategory-case',
    '`subcategory` is case-sensitive: another case matches no market, and the answer says why the list is empty.',
    [...onEveryList('subcategory=btc', () => isEmptyBecause('no_match'))],
  ),
  claim('4.2', 'filter.exchange', 'The category `exchange` is accepted and has no markets.', [
    ...onEveryList('category=exchange', () => isEmptyBecause('no_match')),
  ]),
  claim('4.2', 'filter.unknown-subcategory', 'An unknown subcategory gives an empty list with a reason.', [
    ...onEveryList('subcategory=Nowhere', () => isEmptyBecause('no_match')),
  ]),
  claim(
    '4.2',
    'filter.unknown-value',
    'An unknown category, coin or timeframe, or an empty value, is 400 and the error names the parameter.',
    (
      [
        ['category=politics', 'category'],
        ['category=Crypto', 'category'],
        ['crypto=PEPE', 'crypto'],
        ['timeframe=7m', 'timeframe'],
        ['subcategory=', 'subcategory'],
      ] as const
    ).flatMap(([query, parameter]) => refusedOnEveryList(query, parameter)),
  ),
]

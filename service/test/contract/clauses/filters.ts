import assert from 'node:assert/strict'
import { isEmptyBecause, namesProblem } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Case, type Check, type Clause, clause, refused } from '../clause.ts'
import { LISTED_CATEGORIES, LISTED_COINS, LISTED_SUBCATEGORIES, LISTED_TIMEFRAMES } from '../scene/listed-markets.ts'

const LISTS = ['/v1/markets/live', '/v1/markets/history', '/v1/markets/history/recent']

type Entry = Readonly<Record<string, string | undefined>>

/** The entries of a list, bare or in an envelope. */
export function entriesOf(body: unknown): readonly Entry[] {
  return Array.isArray(body) ? body : ((body as { markets: Entry[] }).markets ?? [])
}

function idOf(entry: Entry): string {
  return entry.conditionId ?? entry.market_id ?? ''
}

const unfiltered = new Map<string, Promise<readonly Entry[]>>()

/** The list without a filter, read once. */
function everythingOf(list: string, scene: ContractScene): Promise<readonly Entry[]> {
  const known = unfiltered.get(list) ?? scene.ask('pro', list).then(({ body }) => entriesOf(body))
  unfiltered.set(list, known)
  return known
}

/** Exactly the matching entries of the unfiltered list, which has others too. */
export function isFilterOf(list: string, matches: (entry: Entry) => boolean): Check {
  return async ({ body }, scene) => {
    const everything = await everythingOf(list, scene)
    const wanted = everything.filter(matches)
    assert.ok(wanted.length > 0 && wanted.length < everything.length)
    assert.deepEqual(entriesOf(body).map(idOf).toSorted(), wanted.map(idOf).toSorted())
  }
}

/** Every value on the first list; the others read the same filter. */
function eachOf(list: string, values: readonly string[]): readonly string[] {
  return list === LISTS[0] ? values : values.filter((_, index) => index % 6 === 0)
}

function filterCases(name: string, values: readonly string[], member: string): Case[] {
  return LISTS.flatMap((list) =>
    eachOf(list, values).map((value) => ({
      as: 'pro' as const,
      request: `${list}?${name}=${encodeURIComponent(value)}`,
      check: isFilterOf(list, (entry) => entry[member] === value),
    })),
  )
}

function onEveryList(query: string, check: (list: string) => Check): Case[] {
  return LISTS.map((list) => ({ as: 'pro', request: `${list}?${query}`, check: check(list) }))
}

const isCoin = (coin: string) => (entry: Entry) => entry.category === 'crypto' && entry.subcategory === coin

export const filterClauses: readonly Clause[] = [
  clause(
    '4.2',
    'Each value of `category` returns all markets of that category and no others.',
    filterCases('category', LISTED_CATEGORIES, 'category'),
  ),
  clause(
    '4.2',
    'Each value of `subcategory` returns all markets of that coin, league, topic or city and no others.',
    filterCases('subcategory', LISTED_SUBCATEGORIES, 'subcategory'),
  ),
  clause(
    '4.2',
    'Each value of `timeframe` returns all markets of that timeframe and no others.',
    filterCases('timeframe', LISTED_TIMEFRAMES, 'timeframe'),
  ),
  clause(
    '4.2',
    'Each value of `crypto` returns all crypto markets of that coin, and no market of another category.',
    LISTS.flatMap((list) =>
      eachOf(list, LISTED_COINS).map((coin) => ({
        as: 'pro' as const,
        request: `${list}?crypto=${coin}`,
        check: isFilterOf(list, isCoin(coin)),
      })),
    ),
  ),
  clause(
    '4.2',
    'Filters combine: a market is listed only if it matches all of them.',
    LISTS.flatMap((list): Case[] => [
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
  clause('4.2', 'Coins are accepted in upper and lower case.', [
    ...onEveryList('crypto=btc', (list) => isFilterOf(list, isCoin('BTC'))),
  ]),
  clause(
    '4.2',
    '`crypto` and `timeframe` default to `all`, which is no filter.',
    LISTS.flatMap((list) =>
      ['crypto=all', 'timeframe=all'].map((query) => ({
        as: 'pro' as const,
        request: `${list}?${query}`,
        check: (async ({ body }, scene) => {
          const everything = await everythingOf(list, scene)
          assert.deepEqual(entriesOf(body).map(idOf).toSorted(), everything.map(idOf).toSorted())
        }) as Check,
      })),
    ),
  ),
  clause(
    '4.2',
    '`subcategory` is case-sensitive: another case matches no market, and the answer says why the list is empty.',
    [...onEveryList('subcategory=btc', () => isEmptyBecause('no_match'))],
  ),
  clause('4.2', 'The category `exchange` is accepted and has no markets.', [
    ...onEveryList('category=exchange', () => isEmptyBecause('no_match')),
  ]),
  clause('4.2', 'An unknown subcategory gives an empty list with a reason.', [
    ...onEveryList('subcategory=Nowhere', () => isEmptyBecause('no_match')),
  ]),
  clause('4.2', 'Categories are case-sensitive: another case is 400 and named.', [
    refused('pro', '/v1/markets/live?category=Crypto', [400, 'invalid_request'], namesProblem('category')),
  ]),
]

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CATEGORIES, COINS, TIMEFRAMES } from './filter-choices.ts'
import { activeFilters, historyParameters, liveParameters, readMarketsSearch, withFilter } from './markets-search.ts'

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'))

interface Parameter {
  readonly name: string
  readonly description?: string
  readonly schema: { readonly enum?: string[] }
}

function parameterOf(name: string): Parameter | undefined {
  const parameters: Parameter[] = DOCUMENT.paths['/v1/markets/live'].get.parameters
  return parameters.find((each) => each.name === name)
}

/** `only markets of this coin, in any case: BTC, ETH; …` */
function documentedValues(name: string): string[] {
  const [, list = ''] = parameterOf(name)?.description?.split(': ') ?? []
  return (list.split(';')[0] ?? '').split(', ')
}

test('the choices are those of the service', () => {
  expect(documentedValues('crypto')).toEqual(COINS)
  expect(documentedValues('timeframe')).toEqual(TIMEFRAMES)
  expect(parameterOf('category')?.schema.enum).toEqual([...CATEGORIES, 'exchange'])
})

test('a view survives its address, and wrong values are left out', () => {
  const now = { category: 'crypto', coin: 'BTC', timeframe: '5m', status: 'settling', page: 3 } as const
  expect(readMarketsSearch(now)).toEqual(now)
  const ever = { view: 'ever', subcategory: 'NBA', status: 'ended', complete: true, cursor: 'WyJk-_x' } as const
  expect(readMarketsSearch(ever)).toEqual(ever)
  expect(readMarketsSearch({ category: 'cats', coin: 'btc', status: 'x', page: 0, cursor: 'a b' })).toEqual({})
  expect(readMarketsSearch({ view: 'ever', status: 'settling', page: 4 })).toEqual({ view: 'ever' })
  expect(readMarketsSearch({ complete: true, cursor: 'abc' })).toEqual({})
  expect(readMarketsSearch({ subcategory: 2026 })).toEqual({ subcategory: '2026' })
  expect(readMarketsSearch({ q: ' lakers win ', status: 'ended' })).toEqual({ q: 'lakers win' })
  expect(readMarketsSearch({ q: 'x'.repeat(201) })).toEqual({})
  const words = { view: 'ever', q: '2026', status: 'ended' } as const
  expect(readMarketsSearch(words)).toEqual(words)
})

test('another filter begins at the first page, and a filter can be removed', () => {
  expect(withFilter({ page: 7, coin: 'BTC' }, { timeframe: '1h' })).toEqual({ coin: 'BTC', timeframe: '1h' })
  expect(withFilter({ view: 'ever', cursor: 'abc', coin: 'BTC' }, { coin: undefined })).toEqual({ view: 'ever' })
})

test('requests name every venue, and use the words of the service', () => {
  expect(String(liveParameters({ coin: 'BTC', status: 'ended', page: 2 }))).toBe(
    'venue=all&crypto=BTC&status=expired&limit=50&offset=50',
  )
  expect(String(historyParameters({ view: 'ever', status: 'ended', complete: true, cursor: 'x' }))).toBe(
    'venue=all&status=closed&complete=true&limit=50&cursor=x',
  )
  expect(String(liveParameters({ q: 'lakers' }))).toBe('q=lakers&venue=all&limit=50&offset=0')
})

test('the filters that are set can be named', () => {
  expect(activeFilters({ coin: 'BTC', complete: true }).map(({ text }) => text)).toEqual(['coin BTC', 'only complete'])
  expect(activeFilters({})).toEqual([])
})

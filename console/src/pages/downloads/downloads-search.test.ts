import { expect, test } from 'vitest'
import { finishedUntilMs, idsOf, readDownloadsSearch, selectionOf } from './downloads-search.ts'

const NOW_MS = Date.parse('2026-11-18T12:04:00Z')

test('the view is read from the address, and wrong values are left out', () => {
  const view = {
    product: 'snapshots',
    venue: 'kalshi',
    coin: 'ETH',
    timeframe: '15m',
    from: '2026-11-18T10:00:00Z',
    done: 3,
  }
  expect(readDownloadsSearch(view)).toEqual(view)
  expect(readDownloadsSearch({ product: 'gold', coin: 7, category: 'x', from: 'soon', done: -1, to: '' })).toEqual({})
})

test('without a choice it is the newest hour that is finished', () => {
  expect(finishedUntilMs(NOW_MS)).toBe(Date.parse('2026-11-18T11:00:00Z'))
  expect(finishedUntilMs(NOW_MS + 60_000)).toBe(Date.parse('2026-11-18T12:00:00Z'))
  expect(selectionOf({}, NOW_MS)).toEqual({
    product: 'hours',
    choice: { by: 'series', coin: 'BTC', timeframe: '5m' },
    fromMs: Date.parse('2026-11-18T10:00:00Z'),
    toMs: Date.parse('2026-11-18T11:00:00Z'),
  })
})

test('markets come before a category, and a category before a series', () => {
  const all = { markets: 'a, b,a,', category: 'sports', coin: 'ETH' } as const
  expect(selectionOf(all, NOW_MS).choice).toEqual({ by: 'markets', ids: ['a', 'b'] })
  expect(selectionOf({ category: 'sports', coin: 'ETH' }, NOW_MS).choice).toEqual({
    by: 'category',
    category: 'sports',
  })
  expect(idsOf('')).toEqual([])
})

test('a link chooses only ids of markets, names of coins and known timeframes', () => {
  const id = `0x${'4f'.repeat(32)}`
  const read = (search: Record<string, unknown>) => readDownloadsSearch(search)
  expect(read({ markets: `${id},$(reboot),0x12,${id}` })).toEqual({ markets: id })
  expect(read({ markets: ',' }), 'none is chosen yet').toEqual({ markets: ',' })
  expect(read({ markets: '; reboot' })).toEqual({ markets: ',' })
  expect(read({ coin: 'BTC;reboot', timeframe: '$(reboot)' })).toEqual({})
  expect(read({ coin: 'NOCOIN', timeframe: '1d' })).toEqual({ coin: 'NOCOIN', timeframe: '1d' })
})

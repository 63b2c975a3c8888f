import type { Usage } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { readUsageSearch } from './usage-search.ts'
import { creditsLastUntilMs, daysOf, refusalsOf, seriesOf } from './usage-series.ts'

const DAY_MS = 86_400_000

function row(changes: Partial<Usage['usage'][number]>): Usage['usage'][number] {
  return {
    day: '2026-11-17',
    keyId: 'k',
    keyLabel: 'bot',
    endpoint: null,
    calls: 1,
    credits: 0,
    refused: {},
    ...changes,
  }
}

function usageOf(rows: Usage['usage']): Usage {
  return { from: '2026-11-16', to: '2026-11-19', totalCalls: 0, totalCredits: 0, totalRefused: 0, usage: rows }
}

test('every day has a place, also one without calls', () => {
  const usage = usageOf([row({ day: '2026-11-16', calls: 2 }), row({ day: '2026-11-18', calls: 5 })])
  expect(daysOf(usage)).toEqual(['2026-11-16', '2026-11-17', '2026-11-18'])
  expect(seriesOf(usage, 'key', 'calls')).toEqual([{ id: 'k', name: 'bot', values: [2, 0, 5], total: 7 }])
})

test('the largest group is first, and more than eight are added up without losing a call', () => {
  const rows = Array.from({ length: 12 }, (_, index) =>
    row({ keyId: `id ${index}`, keyLabel: `key ${index}`, calls: index + 1 }),
  )
  const series = seriesOf(usageOf(rows), 'key', 'calls')
  expect(series).toHaveLength(8)
  expect(series[0]?.name).toBe('key 11')
  expect(series.at(-1)).toMatchObject({ name: 'others', total: 1 + 2 + 3 + 4 + 5 })
  expect(series.reduce((sum, { total }) => sum + total, 0)).toBe(78)
})

test('two keys with one label are two groups, told apart by their ids', () => {
  const rows = [row({ keyId: '11112222-a', calls: 2 }), row({ keyId: '33334444-b', calls: 1 })]
  expect(seriesOf(usageOf(rows), 'key', 'calls').map(({ name, total }) => [name, total])).toEqual([
    ['bot (11112222)', 2],
    ['bot (33334444)', 1],
  ])
})

test('refused calls are added up by code, the most frequent first', () => {
  const rows = [row({ refused: { rate_limited: 2 } }), row({ refused: { out_of_credits: 9, rate_limited: 3 } })]
  expect(refusalsOf(usageOf(rows))).toEqual([
    { code: 'out_of_credits', count: 9 },
    { code: 'rate_limited', count: 5 },
  ])
})

test('the forecast follows the pace of the last days, and there is none without charges', () => {
  const usage = usageOf([row({ credits: 300 })])
  expect(creditsLastUntilMs(usage, 1_000, 0)).toBe(10 * DAY_MS)
  expect(creditsLastUntilMs(usageOf([row({})]), 1_000, 0)).toBeUndefined()
})

test('the view is read from the address, and wrong values are left out', () => {
  expect(readUsageSearch({ days: 7, by: 'endpoint', of: 'credits' })).toEqual({
    days: 7,
    by: 'endpoint',
    of: 'credits',
  })
  expect(readUsageSearch({ days: 8, by: 'x', of: 1 })).toEqual({})
})

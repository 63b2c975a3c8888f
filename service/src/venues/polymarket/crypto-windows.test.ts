import { expect, test } from 'vitest'
import { expectedWindows } from './crypto-windows.ts'

const slugsAt = (text: string): string[] => expectedWindows(Date.parse(text)).flatMap(({ slugs }) => slugs)

test('the current and the next two windows of every coin and length are computed, ZEC in three lengths', () => {
  const slugs = slugsAt('2026-10-09T08:03:00Z')
  for (const slug of [
    'btc-updown-5m-1791532800',
    'btc-updown-5m-1791533100',
    'btc-updown-5m-1791533400',
    'hype-updown-15m-1791532800',
    'zec-updown-5m-1791532800',
    'zec-updown-4h-1791532800',
    'doge-updown-4h-1791532800',
    'bitcoin-up-or-down-october-9-2026-4am-et',
    'hyperliquid-up-or-down-october-9-2026-6am-et',
    'solana-up-or-down-on-october-9-2026',
    'solana-up-or-down-on-october-11-2026',
  ])
    expect(slugs).toContain(slug)
  expect(slugs.filter((slug) => slug.startsWith('zec'))).toHaveLength(9)
  expect(slugs.filter((slug) => slug.startsWith('zec-updown'))).toHaveLength(9)
})

test('four-hour windows keep to New York hours when summer time ends', () => {
  const fourHours = expectedWindows(Date.parse('2026-11-01T05:10:00Z')).filter(({ slugs }) =>
    slugs[0]?.startsWith('btc-updown-4h-'),
  )
  expect(
    fourHours.map(({ startMs, endMs }) => [new Date(startMs).toISOString(), (endMs - startMs) / 3_600_000]),
  ).toEqual([
    ['2026-11-01T04:00:00.000Z', 5],
    ['2026-11-01T09:00:00.000Z', 4],
    ['2026-11-01T13:00:00.000Z', 4],
  ])
})

test('noon and midnight are written 12pm and 12am', () => {
  expect(slugsAt('2026-10-09T16:30:00Z')).toContain('bitcoin-up-or-down-october-9-2026-12pm-et')
  expect(slugsAt('2026-10-10T04:30:00Z')).toContain('bitcoin-up-or-down-october-10-2026-12am-et')
})

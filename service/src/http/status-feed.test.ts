import { expect, test } from 'vitest'
import { statusFeed } from './status-feed.ts'

const NOW_MS = Date.parse('2026-11-18T12:00:00Z')
const STARTED_MS = NOW_MS - 600_000
const origin = 'https://data.example'
const all = (feed: string, name: string): (string | undefined)[] =>
  [...feed.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => text)

test('an incident keeps its id when it ends, and the feed is then newer', () => {
  const open = { service: 'api' as const, startedAtMs: STARTED_MS }
  const before = statusFeed({ origin, incidents: [open], nowMs: NOW_MS })
  const after = statusFeed({ origin, incidents: [{ ...open, endedAtMs: NOW_MS - 1_000 }], nowMs: NOW_MS })
  expect(all(before, 'id')).toEqual(all(after, 'id'))
  expect(all(before, 'id')[1]).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(all(before, 'updated')).toEqual(['2026-11-18T11:50:00.000Z', '2026-11-18T11:50:00.000Z'])
  expect(all(after, 'updated')).toEqual(['2026-11-18T11:59:59.000Z', '2026-11-18T11:59:59.000Z'])
  expect([all(before, 'title')[1], all(after, 'title')[1]]).toEqual(['API: not working', 'API: works again'])
})

test('incidents that began at the same time have different ids', () => {
  const incidents = (['api', 'cache'] as const).map((service) => ({ service, startedAtMs: STARTED_MS }))
  expect(new Set(all(statusFeed({ origin, incidents, nowMs: NOW_MS }), 'id')).size).toBe(3)
})

test('without an incident the feed is as new as the day', () => {
  expect(all(statusFeed({ origin, incidents: [], nowMs: NOW_MS }), 'updated')).toEqual(['2026-11-18T00:00:00.000Z'])
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PageTickets } from './page-tickets.ts'

const OPENED_AT = '2026-11-18T12:00:00.000Z'
const DAY_MS = 86_400_000
const NOW_MS = 1_000_000 * DAY_MS

/** What the page sent with each request for a ticket. */
const asked: Record<string, string>[] = []

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS })
  asked.length = 0
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(Object.fromEntries(new URLSearchParams(address.split('?')[1])))
    return Response.json({ ticket: `ticket ${asked.length}`, url: 'wss://stream', opened_at: OPENED_AT })
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('the first ticket says how long ago the page was opened, and opens the first connection', async () => {
  const tickets = new PageTickets({ ms: NOW_MS })
  vi.advanceTimersByTime(1_500)
  expect(await tickets.first()).toEqual({ streamUrl: 'wss://stream', openedAt: OPENED_AT })
  expect(await tickets.next()).toBe('ticket 1')
  expect(asked).toEqual([{ opened_ms_ago: '1500' }])
})

test('every later ticket has the time of the first, so that a reconnected page takes no stream from a newer one', async () => {
  const tickets = new PageTickets({ ms: NOW_MS })
  await tickets.first()
  await tickets.next()
  vi.advanceTimersByTime(60_000)
  expect(await tickets.next()).toBe('ticket 2')
  expect(await tickets.next()).toBe('ticket 3')
  expect(asked.slice(1)).toEqual([{ opened_at: OPENED_AT }, { opened_at: OPENED_AT }])
})

test('a page whose stream is opened again keeps the time at which it was opened', async () => {
  await new PageTickets({ ms: NOW_MS - 60_000, at: OPENED_AT }).first()
  expect(asked).toEqual([{ opened_at: OPENED_AT }])
})

test.each([
  ['longer ago than the service takes', -30 * DAY_MS, 7 * DAY_MS],
  ['by a clock that was set back meanwhile', 5_000, 0],
])('a page that was opened %s has a time that the service takes', async (_, openedMs, agoMs) => {
  await new PageTickets({ ms: NOW_MS + openedMs }).first()
  expect(asked).toEqual([{ opened_ms_ago: String(agoMs) }])
})

test('a request without an answer uses up no ticket', async () => {
  const tickets = new PageTickets({ ms: NOW_MS })
  const answers = globalThis.fetch
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
  await expect(tickets.first()).rejects.toMatchObject({ code: 'network' })
  vi.stubGlobal('fetch', answers)
  expect(await tickets.next()).toBe('ticket 1')
})

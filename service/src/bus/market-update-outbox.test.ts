import { expect, test, vi } from 'vitest'
import { MarketUpdateOutbox } from './market-update-outbox.ts'
import { type MarketUpdate, marketIdOf } from './market-updates.ts'

const listed = (id: string, question = '') =>
  ({ kind: 'listed', venue: 'polymarket', market: { id, question } }) as MarketUpdate
const resolved = (marketId: string): MarketUpdate => ({
  kind: 'resolved',
  venue: 'polymarket',
  resolution: { marketId, resolvedAtMs: 1 },
})

function open(publish: (update: MarketUpdate, messageId: string) => Promise<void>) {
  const dropped: MarketUpdate[] = []
  const onFailed = vi.fn<() => void>()
  const outbox = new MarketUpdateOutbox({ publish, onFailed, onDropped: (update) => dropped.push(update) })
  const stop = new AbortController()
  const run = (): Promise<void> => outbox.run(stop.signal)
  return { outbox, dropped, onFailed, stop, run }
}

test('updates of an outage are published afterwards, in order for each market, with the same id for every try', async () => {
  let isAway = true
  const tries = new Map<string, Set<string>>()
  const stored: string[] = []
  const { outbox, onFailed, stop, run } = open(async (update, messageId) => {
    const text = `${update.kind} ${marketIdOf(update)}`
    tries.set(text, new Set([...(tries.get(text) ?? []), messageId]))
    await new Promise((resolve) => setTimeout(resolve, update.kind === 'listed' ? 5 : 0))
    if (isAway) throw new Error('no responders')
    stored.push(text)
  })
  const running = run()
  for (const id of ['a', 'b']) outbox.add(listed(id))
  for (const id of ['a', 'b']) outbox.add(resolved(id))
  await vi.waitUntil(() => onFailed.mock.calls.length >= 2, { timeout: 60_000 })
  expect([outbox.waiting, stored]).toEqual([4, []])
  isAway = false
  await vi.waitUntil(() => outbox.waiting === 0, { timeout: 60_000 })
  expect(stored).toEqual(['listed a', 'listed b', 'resolved a', 'resolved b'])
  for (const ids of tries.values()) expect(ids.size).toBe(1)
  stop.abort()
  await running
})

test('a newer update replaces one of the same kind, and what waits at the end is tried once more', async () => {
  const stored: MarketUpdate[] = []
  const { outbox, stop, run } = open(async (update) => void stored.push(update))
  outbox.add(listed('a', 'old'))
  outbox.add(listed('a', 'new'))
  stop.abort()
  await run()
  expect(stored).toEqual([listed('a', 'new')])
})

test('a full outbox drops its oldest update and says so', () => {
  const { outbox, dropped } = open(async () => {})
  for (let id = 0; id <= 20_000; id++) outbox.add(listed(String(id)))
  expect([outbox.waiting, dropped]).toEqual([20_000, [listed('0')]])
})

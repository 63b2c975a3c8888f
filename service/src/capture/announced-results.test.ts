import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type MarketUpdate, marketIdOf } from '../bus/market-updates.ts'
import type { Market } from '../domain/market.ts'
import { AnnouncedResults } from './announced-results.ts'
import { ProblemLog } from './problem-log.ts'

test('an announced winner counts only if it is a token of the market; else the result is requested', async () => {
  const published: string[] = []
  const requested: string[] = []
  const results = new AnnouncedResults({
    venueId: 'polymarket',
    marketOf: (id) => (id === 'unknown' ? undefined : ({ id, tokenIds: [`${id}1`, `${id}2`] } as unknown as Market)),
    publish: async (update: MarketUpdate) => void published.push(`${update.kind} ${marketIdOf(update)}`),
    requestResults: (ids) => requested.push(...ids),
    problems: new ProblemLog(pino({ level: 'silent' })),
    onDropped: () => {},
  })
  const stop = new AbortController()
  const running = results.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  results.take({ kind: 'resolved', marketId: 'a', winningTokenId: 'elsewhere', resolvedAtMs: 5 })
  results.take({ kind: 'resolved', marketId: 'unknown', winningTokenId: 'unknown1', resolvedAtMs: 5 })
  results.take({ kind: 'resolved', marketId: 'b', winningTokenId: 'b2', resolvedAtMs: 5 })
  await vi.waitUntil(() => published.length > 0, { timeout: 60_000 })
  expect(published).toEqual(['resolved b'])
  expect(requested).toEqual(['a'])
})

import { expect, test } from 'vitest'
import type { StreamRowStore } from '../../stores/books/stream-rows.ts'
import { MarketStore } from './market-store.ts'
import type { StreamMarket } from './stream-market.ts'

const NO_TAPE = { receivedTrades: async () => [], contexts: async () => [], countReceived: async () => 0 }

test('of twenty readers at most six read at once, also when places become free, and all are served', async () => {
  const storeAnswers = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  const gaps = async (): Promise<[]> => {
    most = Math.max(most, ++running)
    await storeAnswers.promise
    running--
    return []
  }
  const store = new MarketStore(
    { gaps } as unknown as StreamRowStore,
    { range: async () => [], count: async () => 0 },
    NO_TAPE,
  )
  const market = { id: 'BTC', symbol: 'BTC', intervalMs: 1_000 } as unknown as StreamMarket
  const read = () => store.read(market, { fromSlot: 1, toSlot: 2 })
  const readers = Array.from({ length: 10 }, read)
  storeAnswers.resolve()
  // A reader in every microtask: one of them comes between the end of a read and the start of the next.
  for (let count = 0; count < 10; count++) {
    await Promise.resolve()
    readers.push(read())
  }
  expect(await Promise.all(readers)).toHaveLength(20)
  expect(most).toBe(6)
})

test('reads and counts wait in queues with a bound; what comes after it is refused, and is served again later', async () => {
  const storeAnswers = Promise.withResolvers<void>()
  const answer = async (): Promise<[]> => {
    await storeAnswers.promise
    return []
  }
  const count = async (): Promise<number> => (await answer()).length
  const rows = { gaps: answer, count, countTrades: count } as unknown as StreamRowStore
  const store = new MarketStore(rows, { range: answer, count }, NO_TAPE)
  const market = { id: 'BTC', symbol: 'BTC', intervalMs: 1_000 } as unknown as StreamMarket
  const read = () => store.read(market, { fromSlot: 1, toSlot: 2 })
  const countAll = () => store.count({ binary: [], perps: [], trades: undefined, tape: [] })
  const reads = Array.from({ length: 6 + 1_000 }, read)
  const counts = Array.from({ length: 2 + 50 }, countAll)
  await expect(read()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
  await expect(countAll()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
  storeAnswers.resolve()
  expect(await Promise.all(reads)).toHaveLength(1_006)
  expect(await Promise.all(counts)).toHaveLength(52)
  await read()
})

import { createHash } from 'node:crypto'
import { REALISTIC } from '@bookreel/simulator/world/behaviours'
import { World } from '@bookreel/simulator/world/world'
import { expect, test } from 'vitest'
import { compareWithWorld, type StoredBook } from './true-books.ts'

const options = {
  seed: 'true-books',
  startMs: Date.parse('2026-11-15T02:21:00Z'),
  size: { hot: 2, medium: 3, cold: 3 },
  behaviours: REALISTIC,
}

test('a stored book is right only if the world had it at that time', () => {
  const stored: StoredBook[] = []
  const world = new World(options, ({ kind, market, atMs }) => {
    if (kind !== 'batch') return
    const bids = market.book.bids.toReversed()
    const list = (values: readonly (number | bigint)[]): string => `[${values.join(',')}]`
    const text = [bids, market.book.asks]
      .flatMap((levels) => [list(levels.map(({ price }) => price)), list(levels.map(({ size }) => size * 10_000))])
      .join('')
    const digest = createHash('sha1').update(text).digest('hex').slice(0, 16)
    stored.push({ market: market.conditionId, eventMs: atMs, digest, isVerified: true, rows: 2 })
  })
  const toMs = options.startMs + 20_000
  world.advance(toMs)
  expect(stored.length).toBeGreaterThan(100)
  const { wrong } = compareWithWorld(stored, options, toMs)
  expect(wrong).toEqual({ verified: 0, unverified: 0, examples: [] })
  const [first, second, ...others] = stored
  if (first === undefined || second === undefined) throw new Error('nothing happened')
  const spoilt = [
    { ...first, eventMs: first.eventMs + 1 },
    { ...second, digest: first.digest, isVerified: false },
  ]
  expect(compareWithWorld([...spoilt, ...others], options, toMs).wrong).toMatchObject({ verified: 2, unverified: 2 })
})

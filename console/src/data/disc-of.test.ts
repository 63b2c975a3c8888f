import { expect, test } from 'vitest'
import { discOf } from './disc-of.ts'

test('a trade is drawn as it is on the map of its token, and mirrored on that of the other one', () => {
  const trade = { side: 'DOWN', action: 'buy', price: 0.25, size: 40, atMs: 7 } as const
  expect(discOf(trade, 'down')).toEqual({ action: 'buy', price: 0.25, size: 40, atMs: 7 })
  expect(discOf(trade, 'up')).toEqual({ action: 'sell', price: 0.75, size: 40, atMs: 7 })
})

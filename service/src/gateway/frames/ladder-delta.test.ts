import { expect, test } from 'vitest'
import { changesBetween, type Step } from './ladder-delta.ts'

/** The same numbers in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 9) % below
  }
}

function sideOf(draw: (below: number) => number, side: 'bids' | 'asks'): Step[] {
  const prices = [...new Set(Array.from({ length: draw(12) }, () => draw(20)))]
  prices.sort((one, other) => (side === 'bids' ? other - one : one - other))
  return prices.map((price) => ({ price, size: 1 + draw(3) }))
}

test('the changes between two sides, applied to the first, make the second, and none is in vain', () => {
  for (let seed = 0; seed < 5_000; seed++) {
    const draw = draws(seed)
    const side = seed % 2 === 0 ? 'bids' : 'asks'
    const [before, after] = [sideOf(draw, side), sideOf(draw, side)]
    const changes = changesBetween(before, after, side)
    const held = new Map(before.map(({ price, size }) => [price, size]))
    for (const { price, size } of changes) {
      expect(held.get(price) ?? 0).not.toBe(size)
      if (size === 0) held.delete(price)
      else held.set(price, size)
    }
    const made = [...held].map(([price, size]): Step => ({ price, size }))
    made.sort((one, other) => (side === 'bids' ? other.price - one.price : one.price - other.price))
    expect(made).toEqual(after)
    expect(new Set(changes.map(({ price }) => price)).size).toBe(changes.length)
  }
})

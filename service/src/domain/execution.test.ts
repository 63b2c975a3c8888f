import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Level } from './book.ts'
import { execute, meanPrice } from './execution.ts'

const asks: fc.Arbitrary<Level[]> = fc
  .uniqueArray(fc.record({ price: fc.integer({ min: 1, max: 9_999 }), size: fc.integer({ min: 1, max: 9e15 }) }), {
    selector: ({ price }) => price,
    maxLength: 40,
  })
  .map((levels) => levels.toSorted((one, other) => one.price - other.price))
const amount = fc.bigInt({ min: 1n, max: 10n ** 20n })

describe('an order against a book', () => {
  test('what is filled and what is not add up to what was wanted, to the last unit', () => {
    fc.assert(
      fc.property(asks, amount, (levels, wanted) => {
        const bySize = execute(levels, { size: wanted })
        expect(bySize.filledSize + bySize.unfilled).toBe(wanted)
        const byMoney = execute(levels, { notional: wanted })
        expect(byMoney.filledNotional + byMoney.unfilled).toBe(wanted)
      }),
    )
  })

  test('the mean price lies between the best and the worst one taken, whether bought or sold', () => {
    fc.assert(
      fc.property(asks, amount, fc.boolean(), (rising, wanted, isSale) => {
        const levels = isSale ? rising.toReversed() : rising
        const execution = execute(levels, { size: wanted })
        const mean = meanPrice(execution)
        if (mean === undefined) {
          expect(levels).toEqual([])
          return
        }
        const ends = [execution.bestPrice ?? Number.NaN, execution.worstPrice ?? Number.NaN]
        expect(mean).toBeGreaterThanOrEqual(Math.min(...ends) - 1e-9)
        expect(mean).toBeLessThanOrEqual(Math.max(...ends))
      }),
    )
  })

  test('it is complete exactly when the levels hold enough', () => {
    fc.assert(
      fc.property(asks, amount, (levels, wanted) => {
        const held = levels.reduce((sum, { size }) => sum + BigInt(size), 0n)
        const { isComplete, unfilled, filledSize } = execute(levels, { size: wanted })
        expect(isComplete).toBe(held >= wanted)
        expect(unfilled === 0n).toBe(isComplete)
        if (!isComplete) expect(filledSize).toBe(held)
      }),
    )
  })

  test('money leaves at most what no unit could be bought for', () => {
    fc.assert(
      fc.property(asks, amount, (levels, wanted) => {
        const { isComplete, unfilled } = execute(levels, { notional: wanted })
        if (isComplete) expect(unfilled).toBeLessThan(BigInt(levels.at(-1)?.price ?? 0))
        else expect(unfilled).toBeGreaterThan(0n)
      }),
    )
  })

  test('more is never bought at a better mean price', () => {
    fc.assert(
      fc.property(asks, amount, amount, (levels, one, more) => {
        const [small, large] = [execute(levels, { size: one }), execute(levels, { size: one + more })]
        expect(meanPrice(large) ?? 0).toBeGreaterThanOrEqual((meanPrice(small) ?? 0) - 1e-9)
      }),
    )
  })

  test('two levels: 100 at 0.40 and 50 of the 100 at 0.41', () => {
    const levels = [
      { price: 4_000, size: 100_000_000 },
      { price: 4_100, size: 100_000_000 },
    ]
    const execution = execute(levels, { size: 150_000_000n })
    expect(execution).toEqual({
      levelCount: 2,
      filledSize: 150_000_000n,
      filledNotional: 605_000_000_000n,
      unfilled: 0n,
      isComplete: true,
      bestPrice: 4_000,
      worstPrice: 4_100,
    })
    expect(meanPrice(execution)).toBeCloseTo(12_100 / 3, 9)
    expect(execute(levels, { notional: 605_000_000_000n })).toEqual(execution)
  })
})

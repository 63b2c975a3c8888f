import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LocalLimit } from './local-limit.ts'
import { RateShare } from './rate-share.ts'

const PRO = { rpm: 300, burst: 300 }
const step = fc.integer({ min: 0, max: 5_000 })

test('admits at most burst + rate × time over any period of any sequence of calls', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.integer({ min: 1, max: 90 }), (steps, rpm) => {
      let nowMs = 1_000_000
      const limit = new LocalLimit({ nowMs: () => nowMs })
      const admitted: number[] = []
      for (const stepMs of steps) {
        nowMs += stepMs % 700
        if (limit.take('one', { rpm, burst: rpm }).isAllowed) admitted.push(nowMs)
      }
      for (const [first, fromMs] of admitted.entries()) {
        for (const [last, toMs] of admitted.entries()) {
          const most = rpm + ((toMs - fromMs) * rpm) / 60_000
          if (last >= first) expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6)
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('a refused call is not counted: a retry after retryAfterMs is admitted', () => {
  let nowMs = 0
  const limit = new LocalLimit({ nowMs: () => nowMs })
  for (let call = 0; call < 300; call++)
    expect(limit.take('one', PRO)).toMatchObject({ isAllowed: true, remaining: 299 - call })
  for (let call = 0; call < 50; call++) expect(limit.take('one', PRO).isAllowed).toBe(false)
  const { retryAfterMs } = limit.take('one', PRO)
  expect(retryAfterMs).toBe(200)
  nowMs += retryAfterMs - 1
  expect(limit.take('one', PRO).isAllowed).toBe(false)
  nowMs += 1
  expect(limit.take('one', PRO).isAllowed).toBe(true)
  expect(limit.take('other', PRO)).toMatchObject({ isAllowed: true, remaining: 299 })
})

test.each([2, 3, 7, 300])('%i nodes together never admit more than the rate', (shares) => {
  let nowMs = 0
  const nodes = Array.from({ length: shares }, () => new LocalLimit({ nowMs: () => nowMs, shares: () => shares }))
  let admitted = 0
  for (; nowMs < 120_000; nowMs += 100) {
    for (const node of nodes) while (node.take('one', PRO).isAllowed) admitted++
  }
  expect(admitted).toBeLessThanOrEqual(300 + 600)
  expect(admitted).toBeGreaterThan(500)
})

test('with more nodes than burst, each node still admits its share of the rate', () => {
  let nowMs = 0
  const limit = new LocalLimit({ nowMs: () => nowMs, shares: () => 100 })
  let admitted = 0
  for (; nowMs < 1_000_000; nowMs += 1_000) if (limit.take('one', { rpm: 60, burst: 60 }).isAllowed) admitted++
  expect(admitted).toBe(10)
})

test('noted use is counted, and memory is bounded', () => {
  const limit = new LocalLimit({ nowMs: () => 0, mostEntries: 2 })
  limit.note('one', 59_900)
  expect(limit.take('one', PRO).isAllowed).toBe(false)
  limit.take('two', PRO)
  limit.take('three', PRO)
  expect(limit.owedMs('one')).toBe(0)
})

test('without Redis, three nodes together admit the burst of an account, and Redis has to count all of it later', () => {
  const nodes = Array.from({ length: 3 }, () => new RateShare({ nowMs: () => 1_000_000, nodeCount: () => 3 }))
  const admitted = nodes.map(
    (node) => Array.from({ length: 200 }, () => node.take('one', PRO)).filter(isAllowed).length,
  )
  expect(admitted).toEqual([100, 100, 100])
  expect(nodes.map((node) => node.settle('one')?.debtMs)).toEqual([20_000, 20_000, 20_000])
  expect(nodes.map((node) => node.settle('one'))).toEqual([undefined, undefined, undefined])
})

function isAllowed(verdict: { readonly isAllowed: boolean }): boolean {
  return verdict.isAllowed
}

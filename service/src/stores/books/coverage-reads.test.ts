import { expect, test } from 'vitest'
import { CoverageReads } from './coverage-reads.ts'

const RANGE = { fromMs: 0, toMs: 3_600_000 }
const FILTER = { part: 'hour', ...RANGE } as const

test('one range is read at a time, few wait, and the others are refused', async () => {
  const answers: (() => void)[] = []
  let running = 0
  let mostAtOnce = 0
  const list = async () => {
    mostAtOnce = Math.max(mostAtOnce, ++running)
    await new Promise<void>((resolve) => answers.push(resolve))
    running--
    return []
  }
  const reads = new CoverageReads({ list, counted: async () => new Map() })
  let isOver = false
  const all = Promise.allSettled(
    Array.from({ length: 100 }, (_, index) => reads.list({ ...FILTER, fromMs: index }, 0)),
  ).finally(() => {
    isOver = true
  })
  while (!isOver) {
    for (const answer of answers.splice(0)) answer()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const refused = (await all).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refused.length).toBeGreaterThan(70)
  for (const reason of refused) expect(reason).toMatchObject({ code: 'overloaded', status: 503 })
  expect(mostAtOnce).toBe(1)
})

test('callers that ask for the same share one read, and its answer is kept for ten seconds', async () => {
  let count = 0
  const reads = new CoverageReads({ list: async () => [], counted: async () => new Map([[count++, 0]]) })
  const [one, other] = await Promise.all([reads.counted(RANGE, 0), reads.counted(RANGE, 5_000)])
  expect(other).toBe(one)
  expect(await reads.counted(RANGE, 9_999)).toBe(one)
  expect(await reads.counted(RANGE, 10_000)).not.toBe(one)
  expect(count).toBe(2)
})

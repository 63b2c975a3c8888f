import { expect, test } from 'vitest'
import { forCaller } from '../engines/waiting-caller.ts'
import { CoverageReads } from './coverage-reads.ts'

const RANGE = { fromMs: 0, toMs: 3_600_000 }

test('callers that ask for the same share one read, and its answer is kept for ten seconds', async () => {
  let count = 0
  const reads = new CoverageReads({ list: async () => [], counted: async () => new Map([[count++, 0]]) })
  const [one, other] = await Promise.all([reads.counted(RANGE, 0), reads.counted(RANGE, 5_000)])
  expect(other).toBe(one)
  expect(await reads.counted(RANGE, 9_999)).toBe(one)
  expect(await reads.counted(RANGE, 10_000)).not.toBe(one)
  expect(count).toBe(2)
})

test('a caller does not wait for the turns of another account, and has what this has read', async () => {
  const slow = Promise.withResolvers<Map<number, number>>()
  const answers = [slow.promise, Promise.resolve(new Map([[1, 1]]))].values()
  const reads = new CoverageReads({
    list: async () => [],
    counted: () => answers.next().value ?? Promise.reject(new Error('read again')),
  })
  const counted = (account: string, nowMs: number) => forCaller({ account }, () => reads.counted(RANGE, nowMs))
  const greedy = counted('greedy', 0)
  expect(await counted('modest', 1)).toEqual(new Map([[1, 1]]))
  expect(await counted('third', 2)).toEqual(new Map([[1, 1]]))
  slow.resolve(new Map([[0, 0]]))
  expect(await greedy).toEqual(new Map([[0, 0]]))
})

import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('each iteration of the event loop has at most one turn, and all get theirs in order', async () => {
  const turns = new Turns()
  let iteration = 0
  const count = (): void => {
    iteration++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const taken: { worker: number; iteration: number }[] = []
  const work = async (worker: number): Promise<void> => {
    for (let piece = 0; piece < 20; piece++) {
      await turns.next()
      taken.push({ worker, iteration })
    }
  }
  await Promise.all(Array.from({ length: 16 }, (_, worker) => work(worker)))
  clearImmediate(counting)
  expect(new Set(taken.map((each) => each.iteration)).size).toBe(16 * 20)
  expect(taken.map(({ worker }) => worker)).toEqual(taken.map((_, index) => index % 16))
})

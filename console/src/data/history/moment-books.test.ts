import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MomentBooks } from './moment-books.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Call {
  readonly atMs: number
  readonly startedMs: number
  readonly signal: AbortSignal
  readonly answer: PromiseWithResolvers<string>
}

function scene(perSecond = 3) {
  const calls: Call[] = []
  const shown: string[] = []
  const books = new MomentBooks<string>({
    fetch: (atMs, signal) => {
      const answer = Promise.withResolvers<string>()
      calls.push({ atMs, startedMs: performance.now(), signal, answer })
      return answer.promise
    },
    perSecond: () => perSecond,
    onBook: (atMs, book) => shown.push(`${atMs} ${book}`),
    onError: (atMs, error) => shown.push(`${atMs} ${error.message}`),
  })
  return { books, calls, shown }
}

test('while the playhead moves nothing is requested, and the last moment once it rests', async () => {
  const { books, calls } = scene()
  for (let atMs = 0; atMs < 50; atMs++) {
    expect(books.want(atMs)).toBeUndefined()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(calls).toEqual([])
  await vi.advanceTimersByTimeAsync(20)
  expect(calls.map(({ atMs }) => atMs)).toEqual([49])
})

test.each([3, 1])('at most %i a second, whatever the playhead does', async (perSecond) => {
  const { books, calls } = scene(perSecond)
  for (let atMs = 0; atMs < 60; atMs++) {
    books.want(atMs)
    await vi.advanceTimersByTimeAsync(150)
  }
  await vi.advanceTimersByTimeAsync(2_000)
  expect(calls.length).toBeGreaterThanOrEqual(5)
  for (const [index, { startedMs }] of calls.entries())
    expect(startedMs - (calls[index - 1]?.startedMs ?? -Infinity)).toBeGreaterThanOrEqual(1_000 / perSecond - 1)
})

test('the former request is aborted, and its late answer is not shown', async () => {
  const { books, calls, shown } = scene()
  books.want(1)
  await vi.advanceTimersByTimeAsync(120)
  books.want(2)
  expect(calls[0]?.signal.aborted).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  calls[1]?.answer.resolve('second')
  calls[0]?.answer.resolve('first')
  await vi.advanceTimersByTimeAsync(0)
  expect(shown).toEqual(['2 second'])
})

test('a moment that is wanted again while it is requested is requested once', async () => {
  const { books, calls, shown } = scene()
  for (let times = 0; times < 10; times++) {
    books.want(1)
    await vi.advanceTimersByTimeAsync(60)
  }
  expect(calls).toHaveLength(1)
  calls[0]?.answer.resolve('book')
  await vi.advanceTimersByTimeAsync(0)
  expect([shown, books.want(1)]).toEqual([['1 book'], 'book'])
})

test('500 moments are kept; those that were not looked at for long are requested again', async () => {
  const { books, calls } = scene(1_000)
  for (let atMs = 0; atMs <= 500; atMs++) {
    books.want(atMs)
    await vi.advanceTimersByTimeAsync(120)
    calls[atMs]?.answer.resolve(`book ${atMs}`)
    await vi.advanceTimersByTimeAsync(0)
    if (atMs === 499) expect(books.want(0)).toBe('book 0')
  }
  expect([books.want(0), books.want(2), books.want(1)]).toEqual(['book 0', 'book 2', undefined])
})

test('a failure is told, and nothing after the end', async () => {
  const { books, calls, shown } = scene()
  books.want(1)
  await vi.advanceTimersByTimeAsync(120)
  calls[0]?.answer.reject(new Error('no'))
  await vi.advanceTimersByTimeAsync(0)
  expect(shown).toEqual(['1 no'])
  books.want(2)
  books.close()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(calls).toHaveLength(1)
})

test('a book that could not be read is requested again on demand, and one that is known is not', async () => {
  const { books, calls, shown } = scene()
  books.again()
  books.want(1)
  await vi.advanceTimersByTimeAsync(120)
  calls[0]?.answer.reject(new Error('no'))
  await vi.advanceTimersByTimeAsync(0)
  books.again()
  await vi.advanceTimersByTimeAsync(1_000)
  calls[1]?.answer.resolve('book')
  await vi.advanceTimersByTimeAsync(0)
  expect(shown).toEqual(['1 no', '1 book'])
  books.again()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(calls.map(({ atMs }) => atMs)).toEqual([1, 1])
})

test('what was kept can be forgotten', async () => {
  const { books, calls } = scene()
  books.want(1)
  await vi.advanceTimersByTimeAsync(120)
  calls[0]?.answer.resolve('of the other token')
  await vi.advanceTimersByTimeAsync(0)
  expect(books.want(1)).toBe('of the other token')
  books.clear()
  expect(books.want(1)).toBeUndefined()
})

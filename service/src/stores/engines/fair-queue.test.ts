import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const ACCOUNTS = ['a', 'b', 'c', 'd'] as const
const LIMITS = { places: 5, placesOfAccount: 2, waiting: 310, waitingOfAccount: 300 }

/** Work of accounts that ends when the test says so. */
class Works {
  readonly #queue = new FairQueue(LIMITS)
  /** Accounts, in the order in which their work has begun. */
  readonly begun: string[] = []
  readonly running: { readonly account: string; readonly end: () => void }[] = []
  readonly #waiting: string[] = []

  /** Rejects when it is refused or leaves. */
  async come(account: string, signal?: AbortSignal): Promise<void> {
    this.#waiting.push(account)
    const end = await this.#queue
      .take(account, signal)
      .finally(() => this.#waiting.splice(this.#waiting.indexOf(account), 1))
    this.begun.push(account)
    this.running.push({ account, end })
  }

  async end(index = 0): Promise<void> {
    this.running.splice(index, 1)[0]?.end()
    await nextTurn()
  }

  runs(account: string): number {
    return this.running.filter((work) => work.account === account).length
  }

  /** Whether it waits although it has fewer places than it may have. */
  mayBegin(account: string): boolean {
    return this.#waiting.includes(account) && this.runs(account) < LIMITS.placesOfAccount
  }
}

test('an account with hundreds of waiting reads takes two places, and delays any other account by one turn', async () => {
  const works = new Works()
  for (let count = 0; count < 300; count++) void works.come('greedy')
  for (const account of ['modest', 'a', 'b', 'c', 'd']) void works.come(account)
  await nextTurn()
  expect(works.begun).toEqual(['greedy', 'greedy', 'modest', 'a', 'b'])
  for (let count = 0; count < 5; count++) await works.end()
  expect(works.begun.slice(5)).toEqual(['greedy', 'c', 'd', 'greedy'])
})

test('whoever comes and goes: no free place is kept from anybody, and no account begins twice before another that waits', async () => {
  const account = fc.constantFrom(...ACCOUNTS)
  const event = fc.oneof(
    { weight: 3, arbitrary: fc.record({ comes: account }) },
    { weight: 2, arbitrary: fc.record({ ends: fc.nat(LIMITS.places - 1) }) },
    { weight: 1, arbitrary: fc.record({ leaves: fc.nat(100) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 100, maxLength: 100 }), async (events) => {
      const works = new Works()
      const callers: AbortController[] = []
      const passedBy = new Map<string, Set<string>>()
      for (const each of events) {
        const before = works.begun.length
        if ('comes' in each) {
          const caller = new AbortController()
          callers.push(caller)
          works.come(each.comes, caller.signal).catch(() => {})
        } else if ('leaves' in each) callers[each.leaves]?.abort(new Error('left'))
        else await works.end(each.ends)
        await nextTurn()
        const begun = works.begun[before]
        expect(works.running.length).toBeLessThanOrEqual(LIMITS.places)
        for (const name of ACCOUNTS) {
          expect(works.runs(name)).toBeLessThanOrEqual(LIMITS.placesOfAccount)
          if (works.running.length < LIMITS.places) expect(works.mayBegin(name)).toBe(false)
          if (!works.mayBegin(name) || name === begun) passedBy.delete(name)
          else if (begun !== undefined) {
            const passed = passedBy.get(name) ?? new Set()
            expect(passed).not.toContain(begun)
            passedBy.set(name, passed.add(begun))
          }
        }
      }
    }),
    { numRuns: 40 },
  )
})

test('what comes when too much of an account or of all waits is refused; it is served when others have left or ended', async () => {
  const works = new Works()
  const left = new AbortController()
  const refused: string[] = []
  const come = (account: string) =>
    works.come(account, left.signal).catch(({ code, retryAfterSeconds }) => {
      refused.push(`${account}: ${code}, ${retryAfterSeconds} s`)
    })
  for (let count = 0; count < 303; count++) void come('greedy')
  for (let count = 0; count < 14; count++) void come('a')
  await nextTurn()
  // Two places and 300 that wait, then two places and ten that wait.
  expect(refused).toEqual(['greedy: overloaded, 1 s', 'a: overloaded, 1 s', 'a: overloaded, 1 s'])
  left.abort(new Error('left'))
  await nextTurn()
  void works.come('greedy')
  await works.end()
  expect(works.begun.at(-1)).toBe('greedy')
})

test('who leaves rejects with its reason, also when its turn comes at the same moment, and keeps no place', async () => {
  const queue = new FairQueue({ ...LIMITS, places: 1 })
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(queue.take('a', gone)).rejects.toThrow('gone')
  const giveBack = await queue.take('a')
  const caller = new AbortController()
  const next = queue.take('b', caller.signal)
  giveBack()
  caller.abort(new Error('left'))
  await expect(next).rejects.toThrow('left')
  await queue.take('c')
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('four at once, the others in their order, and nobody waits behind another account', async () => {
  const turns = new Turns()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (name: string, account = 'one'): Promise<void> =>
    turns.take(account, () => {
      begun.push(name)
      return new Promise((resolve) => ends.push(resolve))
    })
  const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ask(name))
  asked.push(ask('other', 'two'))
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'other'])
  ends[1]?.()
  await nextTurn()
  expect(begun.at(-1)).toBe('e')
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end()
    await nextTurn()
  }
  await Promise.all(asked)
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'other', 'e', 'f'])
})

test('too many waiting are refused, and a failure gives its place on', async () => {
  const turns = new Turns()
  const { promise, reject } = Promise.withResolvers<never>()
  const asked = Array.from({ length: 104 }, () => turns.take('one', () => promise))
  await expect(turns.take('one', async () => {})).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
  reject(new Error('broken'))
  await Promise.allSettled(asked)
  expect(await turns.take('one', async () => 'free again')).toBe('free again')
})

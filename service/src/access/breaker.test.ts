import { expect, test } from 'vitest'
import { Breaker, StoreAway } from './breaker.ts'

class Outage extends Error {}

function openBreaker() {
  const scene = { nowMs: 0, asked: 0 }
  const breaker = new Breaker({ nowMs: () => scene.nowMs, isOutage: (error) => error instanceof Outage })
  const ask = (question: () => Promise<string>) =>
    breaker.ask(() => {
      scene.asked++
      return question()
    })
  return { scene, ask, fail: () => ask(() => Promise.reject(new Outage())) }
}

test('five failures in a row, then nobody asks for a second, then one does, and an answer opens it to all', async () => {
  const { scene, ask, fail } = openBreaker()
  for (let call = 0; call < 20; call++) expect(await fail()).toBeInstanceOf(StoreAway)
  expect(scene.asked).toBe(5)
  scene.nowMs = 1_000
  const probe = Promise.withResolvers<string>()
  const probing = ask(() => probe.promise)
  expect(await fail()).toBeInstanceOf(StoreAway)
  expect(scene.asked).toBe(6)
  probe.resolve('here')
  expect(await probing).toBe('here')
  expect(await ask(async () => 'again')).toBe('again')
})

test('a probe that fails means another second', async () => {
  const { scene, fail } = openBreaker()
  for (let call = 0; call < 5; call++) await fail()
  scene.nowMs = 1_000
  await fail()
  scene.nowMs = 1_999
  await fail()
  expect(scene.asked).toBe(6)
})

test('an error that is no outage is thrown and counts for nothing', async () => {
  const { scene, ask } = openBreaker()
  for (let call = 0; call < 9; call++)
    await expect(ask(() => Promise.reject(new TypeError('ours')))).rejects.toThrow('ours')
  expect(scene.asked).toBe(9)
})

import { expect, test } from 'vitest'
import { Breaker, StoreAway } from './breaker.ts'

class Outage extends Error {}

function openBreaker() {
  const scene = { nowMs: 0, asked: 0 }
  const breaker = new Breaker({ nowMs: () => scene.nowMs, isOutage: (error) => error instanceof Outage })
  const ask = (request: () => Promise<string>) =>
    breaker.ask(() => {
      scene.asked++
      return request()
    })
  return { scene, ask, fail: () => ask(() => Promise.reject(new Outage())) }
}

test('five failures in a row open the breaker for a second; then one probe runs, and its success closes it', async () => {
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

test('a failed probe keeps the breaker open for another second', async () => {
  const { scene, fail } = openBreaker()
  for (let call = 0; call < 5; call++) await fail()
  scene.nowMs = 1_000
  await fail()
  scene.nowMs = 1_999
  await fail()
  expect(scene.asked).toBe(6)
})

test('an error that is not an outage is thrown and not counted', async () => {
  const { scene, ask } = openBreaker()
  for (let call = 0; call < 9; call++)
    await expect(ask(() => Promise.reject(new TypeError('ours')))).rejects.toThrow('ours')
  expect(scene.asked).toBe(9)
})

import { expect, test, vi } from 'vitest'
import { type CachedValue, Remembered } from './remembered.ts'

const MEMORY = { freshForMs: 1_000, servesForMs: 10_000, patienceMs: 5 }

test('concurrent and later reads share one computed value until it is too old', async () => {
  const make = vi.fn(async () => ({ value: 'answer', madeAtMs: 0 }))
  const remembered = new Remembered(make, MEMORY)
  await Promise.all([remembered.read(0), remembered.read(0)])
  expect(await remembered.read(999)).toEqual({ value: 'answer', madeAtMs: 0 })
  expect(make).toHaveBeenCalledTimes(1)
  make.mockResolvedValueOnce({ value: 'answer', madeAtMs: 1_000 })
  expect((await remembered.read(1_000)).madeAtMs).toBe(1_000)
})

test('the previous value is returned for a limited time when computing a new one fails or hangs', async () => {
  const make = vi.fn(async () => ({ value: 'first', madeAtMs: 0 }))
  const remembered = new Remembered(make, MEMORY)
  await remembered.read(0)
  make.mockRejectedValueOnce(new Error('away'))
  expect(await remembered.read(5_000)).toEqual({ value: 'first', madeAtMs: 0 })
  const hung = Promise.withResolvers<CachedValue<string>>()
  make.mockReturnValueOnce(hung.promise)
  expect(await remembered.read(6_000)).toEqual({ value: 'first', madeAtMs: 0 })
  const tooOld = remembered.read(10_000)
  hung.reject(new Error('still away'))
  await expect(tooOld).rejects.toThrow('still away')
})

import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isKey, KEY_PATTERN, makeKey, previewOf } from './key-format.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.split('')

test('new keys are valid, match the published pattern and are unique', () => {
  const keys = Array.from({ length: 5_000 }, makeKey)
  for (const key of keys) {
    expect(key).toMatch(KEY_PATTERN)
    expect(isKey(key)).toBe(true)
  }
  expect(new Set(keys).size).toBe(keys.length)
})

test('the checksum is the CRC32 of the preceding characters, in base 62', () => {
  const key = makeKey()
  const value = Array.from(key.slice(-6)).reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0)
  expect(value).toBe(crc32(key.slice(0, -6)))
})

test('a key with one character changed, swapped, removed or added is invalid', () => {
  const place = fc.integer({ min: 0, max: 45 })
  fc.assert(
    fc.property(place, fc.constantFrom(...DIGITS, '_', '-', ' '), (at, digit) => {
      const key = makeKey()
      const changed = key.slice(0, at) + digit + key.slice(at + 1)
      expect(isKey(changed)).toBe(changed === key)
      const swapped = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2)
      expect(isKey(swapped)).toBe(swapped === key)
      expect(isKey(key.slice(0, at) + key.slice(at + 1))).toBe(false)
      expect(isKey(key.slice(0, at) + digit + key.slice(at))).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

test('arbitrary text is not a valid key and never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isKey(text)))
  expect(isKey(`${makeKey()}\n`)).toBe(false)
})

test('all digits are equally likely', () => {
  const counts = new Map<string, number>()
  for (let made = 0; made < 4_000; made++) {
    for (const digit of makeKey().slice(8, 40)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  }
  const expected = (4_000 * 32) / 62
  const chiSquare = DIGITS.reduce((sum, digit) => sum + ((counts.get(digit) ?? 0) - expected) ** 2 / expected, 0)
  // 61 degrees of freedom: above 140 once in fifty million runs; a plain `byte % 62` gives about 250 more.
  expect(chiSquare).toBeLessThan(140)
})

test('a preview shows only the prefix and the last four characters', () => {
  const key = makeKey()
  expect(previewOf(key)).toBe(`br_live_…${key.slice(-4)}`)
})

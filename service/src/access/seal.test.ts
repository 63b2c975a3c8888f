import { expect, test } from 'vitest'
import { Peppers } from './peppers.ts'
import { Seal } from './seal.ts'

const [ONE, OTHER] = ['one pepper that is long enough for a test', 'another pepper that is long enough here']
const seal = new Seal(new Peppers(ONE), 'test')

test('what was sealed can be opened, also after the pepper was rotated', () => {
  const sealed = seal.seal('a text')
  expect(sealed).not.toContain('text')
  expect(seal.seal('a text')).not.toBe(sealed)
  expect(seal.open(sealed)).toBe('a text')
  expect(new Seal(new Peppers(OTHER, ONE), 'test').open(sealed)).toBe('a text')
})

test('a changed, foreign, short or long text is not opened', () => {
  const sealed = seal.seal('a text')
  for (let index = 0; index < sealed.length - 1; index++) {
    const changed = `${sealed.slice(0, index)}${sealed[index] === 'A' ? 'B' : 'A'}${sealed.slice(index + 1)}`
    expect(seal.open(changed), changed).toBeUndefined()
  }
  expect(new Seal(new Peppers(OTHER), 'test').open(sealed)).toBeUndefined()
  expect(new Seal(new Peppers(ONE), 'another purpose').open(sealed)).toBeUndefined()
  for (const text of ['', 'x', 'A'.repeat(38), 'A'.repeat(100_000)]) expect(seal.open(text)).toBeUndefined()
})

import { expect, test } from 'vitest'
import { WordIndex } from './word-index.ts'

const everything = () => true
const FIRST = { offset: 0, limit: 10 }
const words = (text: string) => new Map(text.split(' ').map((word) => [word, 1]))

function indexOf(texts: Readonly<Record<string, string>>): WordIndex {
  const index = new WordIndex()
  for (const [id, text] of Object.entries(texts)) index.put(id, words(text))
  return index
}

const idsOf = (index: WordIndex, text: string, page = FIRST): string[] =>
  index.find(text.split(' '), everything, page).hits.map(({ id }) => id)

test('a whole word counts more than a beginning, and a beginning more than a misspelled word', () => {
  const index = indexOf({ misspelled: 'lindon', beginning: 'londoner', whole: 'london', other: 'paris' })
  expect(idsOf(index, 'london')).toEqual(['whole', 'beginning', 'misspelled'])
})

test.each([
  ['one letter of five', 'raine', 'rains', true],
  ['two letters of five', 'raint', 'roins', false],
  ['two letters of six', 'lonbom', 'london', true],
  ['three letters of six', 'bonbom', 'london', false],
  ['a letter of a short word', 'cat', 'cut', false],
  ['a missing letter', 'fedral', 'federal', true],
])('a word that differs in %s is found or not: %s, %s', (_, searched, stored, isFound) => {
  expect(idsOf(indexOf({ stored }), searched)).toEqual(isFound ? ['stored'] : [])
})

test('the pages of a search are parts of one order, and the total is of all pages', () => {
  const index = new WordIndex()
  for (let number = 0; number < 50; number++) index.put(String(number), new Map([['rate', 1 + ((number * 7) % 50)]]))
  const whole = idsOf(index, 'rate', { offset: 0, limit: 50 })
  expect(whole.slice(0, 2)).toEqual(['7', '14'])
  const paged = [0, 20, 40, 60].flatMap((offset) => idsOf(index, 'rate', { offset, limit: 20 }))
  expect(paged).toEqual(whole)
  expect(index.find(['rate'], everything, { offset: 60, limit: 20 }).total).toBe(50)
})

test('texts that are replaced or removed are found by their present words only', () => {
  const index = indexOf({ one: 'rain snow', two: 'snow' })
  index.put('one', words('sun'))
  expect([idsOf(index, 'rain'), idsOf(index, 'snow'), idsOf(index, 'sun')]).toEqual([[], ['two'], ['one']])
  index.remove('two')
  index.put('three', words('wind'))
  expect([idsOf(index, 'snow'), idsOf(index, 'wind'), index.has('two')]).toEqual([[], ['three'], false])
})

import { expect, test } from 'vitest'
import { csvOf } from './csv-pages.ts'

const PAGE = 100

/** Answers as the service does: pages of a list, by offset or by cursor. */
function serviceWith(total: number, by: 'offset' | 'cursor', shrinksTo = total) {
  const asked: URLSearchParams[] = []
  const read = async (address: string) => {
    const query = new URL(address, 'http://service.test').searchParams
    const length = asked.length === 0 ? total : shrinksTo
    asked.push(query)
    const first = Number(query.get(by))
    const end = Math.min(length, first + PAGE)
    const rows = Array.from({ length: Math.max(0, end - first) }, (_, index) => `${first + index},"a\nb"\n`)
    const headers = new Headers({ 'x-row-count': String(rows.length) })
    if (by === 'offset') headers.set('x-total-count', String(length))
    else if (end < length) headers.set('x-next-cursor', String(end))
    return { body: `number,text\n${rows.join('')}`, headers }
  }
  return { read, asked }
}

const numbersOf = (csv: string): number[] => [...csv.matchAll(/^(\d+),/gm)].map(([, number]) => Number(number))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

test.for(['offset', 'cursor'] as const)('all pages of a list by %s are one file with one line of names', async (by) => {
  const { read, asked } = serviceWith(250, by)
  const csv = await csvOf('/list', { q: 'bitcoin', limit: String(PAGE) }, read)
  expect(csv.startsWith('number,text\n0,"a\nb"\n')).toBe(true)
  expect(csv.match(/number,text/g)).toHaveLength(1)
  expect(numbersOf(csv)).toEqual(upTo(250))
  expect(asked.map((query) => query.get(by))).toEqual([null, '100', '200'])
  for (const query of asked)
    expect(Object.fromEntries(query)).toMatchObject({ q: 'bitcoin', format: 'csv', spreadsheet_safe: 'true' })
})

test('a list that ends with a whole page is asked for no other', async () => {
  const { read, asked } = serviceWith(200, 'offset')
  expect(numbersOf(await csvOf('/list', {}, read))).toEqual(upTo(200))
  expect(asked).toHaveLength(2)
})

test('a list that became shorter meanwhile, or is empty, has an end', async () => {
  const shrinking = serviceWith(250, 'offset', 80)
  expect(numbersOf(await csvOf('/list', {}, shrinking.read))).toEqual(upTo(100))
  expect(await csvOf('/list', {}, serviceWith(0, 'offset').read)).toBe('number,text\n')
})

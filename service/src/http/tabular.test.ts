import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../endpoints/index.ts'
import { flatten } from './tabular.ts'

const OPTIONS = { format: 'csv', isWithoutBooks: false, isSpreadsheetSafe: false } as const
const EXAMPLES = new URL('../../../docs/examples/', import.meta.url)

/** Names of members at any depth, except the keys of free tables. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [name, ...namesIn(each)])
}

describe('flat files of every endpoint', () => {
  test.each(endpoints.filter(({ method }) => method === 'GET').map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s: each member of the example is in a column or in the envelope',
    async (name, endpoint) => {
      const text = await readFile(new URL(`${name}.json`, EXAMPLES), 'utf8')
      const reply = JSON.parse(text)
      const { text: file, envelope } = flatten(endpoint, reply, OPTIONS)
      const columns = (file.split('\n')[0] ?? '').split(',').map((column) => column.toLowerCase())
      const inEnvelope = new Set([...Object.keys(envelope), ...namesIn(envelope)])
      const rowLists = Array.isArray(reply) ? [] : Object.keys(reply).filter((member) => !(member in envelope))
      const lost = namesIn(reply).filter((member) => {
        const isColumn =
          columns.some((column) => column.includes(member.toLowerCase())) || file.includes(`""${member}""`)
        return !isColumn && !inEnvelope.has(member) && !rowLists.includes(member) && !isContainer(reply, member)
      })
      expect(lost).toEqual([])
    },
  )
})

/** A member that only holds others, which are columns. */
function isContainer(reply: unknown, name: string): boolean {
  const found: unknown[] = []
  JSON.stringify(reply, (key, value) => {
    if (key === name) found.push(value)
    return value
  })
  return found.every((value) => typeof value === 'object')
}

describe('cells', () => {
  const categories = endpoints.find(({ name }) => name === 'list_categories')
  const entry = { id: '-2°C or below', category: '=1+1', displayName: ' @x', activeMarkets: -3, captureIntervalMs: 1 }

  test('contain the data unchanged', () => {
    if (categories === undefined) throw new Error('no categories')
    const { text } = flatten(categories, [entry], OPTIONS)
    expect(text.split('\n')[1]).toBe('-2°C or below,=1+1, @x,-3,1,\\N')
  })

  test('with isSpreadsheetSafe, text that a spreadsheet would run begins with a quote; numbers do not', () => {
    if (categories === undefined) throw new Error('no categories')
    const { text } = flatten(categories, [entry], { ...OPTIONS, isSpreadsheetSafe: true })
    expect(text.split('\n')[1]).toBe("'-2°C or below,'=1+1,' @x,-3,1,\\N")
  })
})

import { describe, expect, test } from 'vitest'
import { endpoints } from '../endpoints/index.ts'
import { flatten } from './tabular.ts'

const OPTIONS = { format: 'csv', isWithoutBooks: false, isSpreadsheetSafe: false } as const

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

import { expect, test } from 'vitest'
import { csvOfRows } from './csv-of-rows.ts'

test('rows are lines below their names; what is left out or null is marked, lists and objects are JSON', () => {
  const rows = [
    { start: '2026-11-12T00:00:00.000Z', share: 0.5, causes: { late_slot: 2, disconnected: 1 }, end: null },
    { start: '2026-11-13T00:00:00.000Z', share: -1, markets: 3 },
  ]
  expect(csvOfRows(rows)).toBe(
    [
      'start,share,causes,end,markets',
      '2026-11-12T00:00:00.000Z,0.5,"{""late_slot"":2,""disconnected"":1}",\\N,\\N',
      '2026-11-13T00:00:00.000Z,-1,\\N,\\N,3',
      '',
    ].join('\n'),
  )
})

test('text stays one cell, and a spreadsheet does not run it', () => {
  const texts = ['one, "two"', 'two\nlines', '=1+1', ' "@name', '-x', 'a=b']
  expect(csvOfRows(texts.map((text) => ({ text })))).toBe(
    'text\n"one, ""two"""\n"two\nlines"\n\'=1+1\n"\' ""@name"\n\'-x\na=b\n',
  )
})

import { expect, test } from 'vitest'
import { conformancePage, uncoveredSections } from '../tools/conformance-page.ts'

/** The parts of the interface, in its order. */
const PARTS = '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 3 4.1 4.2 4.3 4.4 4.5 4.6 4.7 5 6 7 8 9'.split(' ')

test('every part of the interface has a test row or a documented deviation', () => {
  expect(uncoveredSections()).toEqual([])
})

test('every part of the interface is on the page', () => {
  const page = conformancePage()
  const headings = [...page.matchAll(/^## ([\d.]+) /gm)].map(([, part]) => part)
  expect(headings).toEqual(PARTS)
})

test('every row belongs to a part', async () => {
  const { ROWS } = await import('../service/test/conformance/rows.ts')
  const { SECTIONS } = await import('../service/test/conformance/sections.ts')
  const known = SECTIONS.map(({ id }) => id)
  expect(ROWS.filter(({ section }) => !known.includes(section)).map(({ section }) => section)).toEqual([])
})

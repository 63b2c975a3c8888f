import { expect, test } from 'vitest'
import { CLAIMS } from '../service/test/conformance/claims.ts'
import { SECTIONS } from '../service/test/conformance/sections.ts'

test('the ids of claims are unique', () => {
  const ids = CLAIMS.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('every claim belongs to a part of the interface', () => {
  const known = SECTIONS.map(({ id }) => id)
  expect(CLAIMS.filter(({ section }) => !known.includes(section)).map(({ id }) => id)).toEqual([])
})

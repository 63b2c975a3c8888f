import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COVERAGE_CATEGORIES, COVERAGE_VENUES, readCoverageSearch } from './coverage-search.ts'

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'))

function valuesOf(parameter: string): string[] {
  const parameters: { name: string; schema: { enum: string[] } }[] = DOCUMENT.paths['/v1/coverage'].get.parameters
  return parameters.find(({ name }) => name === parameter)?.schema.enum ?? []
}

test('the choices are those of the service', () => {
  expect(valuesOf('venue')).toEqual([...COVERAGE_VENUES, 'all'])
  expect(valuesOf('category')).toEqual(COVERAGE_CATEGORIES)
})

test('the view is read from the address, and wrong values are left out', () => {
  const view = { venue: 'kalshi', category: 'sports', day: '2026-11-12', hour: 23 } as const
  expect(readCoverageSearch(view)).toEqual(view)
  expect(readCoverageSearch({ venue: 'x', category: 1, day: '2026-13-40', hour: 3 })).toEqual({})
  expect(readCoverageSearch({ day: '2026-11-12', hour: 24 })).toEqual({ day: '2026-11-12' })
})

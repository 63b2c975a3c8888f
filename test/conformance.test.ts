import { readFileSync } from 'node:fs'
import { API_ERRORS, type ErrorCode } from '@bookreel/service/domain/api-error'
import { expect, test } from 'vitest'
import type { Case } from '../service/test/conformance/claim.ts'
import { CLAIMS } from '../service/test/conformance/claims.ts'
import { SECTIONS } from '../service/test/conformance/sections.ts'
import { ERRORS_SHOWN_ELSEWHERE, STREAM_TESTS } from '../service/test/conformance/shown-elsewhere.ts'
import { STATEMENTS } from '../service/test/conformance/statements.ts'

const MAX_WORDS = 30
/** Parameters that every GET has; one endpoint shows them for all. */
const COMMON = ['format', 'spreadsheet_safe']
/** Answers of defects, which no request to an endpoint can cause. */
const NOT_OF_REST: readonly ErrorCode[] = ['internal']

interface Published {
  readonly paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>
}

const cases = CLAIMS.flatMap((claim) => claim.cases)

function parametersOf({ endpoint, request, method = 'GET' }: Case): string[] {
  const names = new URLSearchParams(request.split('?')[1] ?? '').keys()
  return [...names].map((name) => (COMMON.includes(name) ? name : `${method} ${endpoint} ${name}`))
}

test('the id of a claim is unique and has the form subject.fact', () => {
  const ids = CLAIMS.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => !/^[a-z0-9-]+\.[a-z0-9-]+$/.test(id))).toEqual([])
})

test('every claim has requests, and every request has a check', () => {
  expect(CLAIMS.filter((claim) => claim.cases.length === 0).map(({ id }) => id)).toEqual([])
  expect(cases.filter(({ check }) => typeof check !== 'function' || /^\(\) => \{\s*\}$/.test(String(check)))).toEqual(
    [],
  )
})

test('every claim belongs to a part of the interface, and says one short sentence', () => {
  const known = SECTIONS.map(({ id }) => id)
  expect(CLAIMS.filter(({ section }) => !known.includes(section)).map(({ id }) => id)).toEqual([])
  const isShort = (says: string): boolean => says.endsWith('.') && says.split(/\s+/).length <= MAX_WORDS
  expect(CLAIMS.filter(({ says }) => !isShort(says)).map(({ id }) => id)).toEqual([])
})

test('every published parameter of every endpoint is used by a claim', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Published
  const published = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [] }]) =>
      parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => (COMMON.includes(name) ? name : `${method.toUpperCase()} ${path} ${name}`)),
    ),
  )
  const used = new Set(cases.flatMap(parametersOf))
  expect([...new Set(published)].filter((parameter) => !used.has(parameter))).toEqual([])
})

test('every error code of REST is the error of a claim, or shown by a named test', () => {
  const shown = new Set(cases.map(({ error }) => error))
  const missing = Object.keys(API_ERRORS).filter((code) => {
    const file = ERRORS_SHOWN_ELSEWHERE[code as ErrorCode]
    return !shown.has(code as ErrorCode) && (file === undefined || !readFileSync(file, 'utf8').includes(`'${code}'`))
  })
  expect(missing).toEqual(NOT_OF_REST)
})

test('tests that are named instead of claims exist', () => {
  const named = [...STREAM_TESTS, ...STATEMENTS].flatMap(({ shownBy }) =>
    [shownBy].flat().filter((proof) => typeof proof !== 'string'),
  )
  const missing = named.filter(({ file, title }) => !readFileSync(file, 'utf8').includes(title))
  expect(missing).toEqual([])
})

test('claims that the interface table names exist', () => {
  const ids = new Set(CLAIMS.map(({ id }) => id))
  const named = STATEMENTS.flatMap(({ shownBy }) => shownBy.filter((proof) => typeof proof === 'string'))
  expect(named.filter((id) => !ids.has(id))).toEqual([])
})

import assert from 'node:assert/strict'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { namesProblem } from './checks.ts'
import type { Row } from './row.ts'

const unknown: Row[] = ASKED_ENDPOINTS.map(({ section, path, request, as }) => ({
  section: section ?? 'added',
  endpoint: path,
  request: withParameter(request, 'nonsense=1'),
  as,
  shows: 'A parameter that does not exist is refused, with those that do.',
  status: 400,
  error: 'invalid_request',
  check: ({ body }) => {
    assert.deepEqual(body.details.unknown_parameters, ['nonsense'])
    assert.ok(body.details.allowed_parameters.includes('format'))
  },
}))

const repeated: Row[] = ASKED_ENDPOINTS.map(({ section, path, request, as }) => ({
  section: section ?? 'added',
  endpoint: path,
  request: withParameter(request, 'format=json&format=json'),
  as,
  shows: 'A parameter that is given twice is refused.',
  status: 400,
  error: 'invalid_request',
  check: namesProblem('format'),
}))

const format: Row[] = ASKED_ENDPOINTS.flatMap(({ section, path, request, as }): Row[] => [
  {
    section: section ?? 'added',
    endpoint: path,
    request: withParameter(request, 'format=json'),
    as,
    shows: '`format=json` is the same as leaving it out.',
    status: 200,
  },
  {
    section: section ?? 'added',
    endpoint: path,
    request: withParameter(request, 'format=xml'),
    as,
    shows: 'A format that does not exist is refused.',
    status: 400,
    error: 'invalid_request',
    check: namesProblem('format'),
  },
])

const limits: Row[] = ASKED_ENDPOINTS.flatMap(({ section, path, request, as, limit }) => {
  if (limit === undefined) return []
  const [least, most] = limit
  const refused = [least - 1, most + 1, -1, 1.5, 'ten', ''].map(
    (value): Row => ({
      section: section === undefined ? 'added' : '8',
      endpoint: path,
      request: withParameter(request, `limit=${value}`),
      as,
      shows: 'A limit out of range, or that is no whole number, is refused and never cut to fit.',
      status: 400,
      error: 'invalid_request',
      check: namesProblem('limit'),
    }),
  )
  const taken = [least, most].map(
    (value): Row => ({
      section: section === undefined ? 'added' : '8',
      endpoint: path,
      request: withParameter(request, `limit=${value}`),
      as,
      shows: 'The smallest and the largest limit are taken.',
      status: 200,
      check: ({ body }) => {
        const items = Array.isArray(body)
          ? body
          : (body.snapshots ?? body.markets ?? body.bars ?? body.trades ?? body.gaps)
        assert.ok(items.length <= value)
      },
    }),
  )
  return [...refused, ...taken]
})

export const parameterRows: readonly Row[] = [...unknown, ...repeated, ...format, ...limits]

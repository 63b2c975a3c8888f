import { expect, test } from 'vitest'
import { PublishedSchema } from './published-schema.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const schema = new PublishedSchema({
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'get_thing',
        security: [{ key: [] }],
        parameters: [],
        responses: {
          200: json({ $ref: '#/components/schemas/Thing' }),
          404: json({ $ref: '#/components/schemas/Error' }),
        },
      },
    },
    '/shapes': {
      get: {
        operationId: 'get_shape',
        security: [],
        parameters: [],
        responses: {
          200: json({
            anyOf: [
              { title: 'form=described', type: 'array', items: { type: 'number' } },
              { title: 'form=declared', $ref: '#/components/schemas/Thing' },
              { $ref: '#/components/schemas/Error' },
            ],
          }),
        },
      },
    },
    '/things/all': {
      get: {
        operationId: 'list_things',
        security: [],
        parameters: [],
        responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Thing' } }) },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: { at: { type: 'string', format: 'date-time' } },
        required: ['at'],
        additionalProperties: false,
      },
      Error: { type: 'object', properties: { status: { type: 'integer' } }, required: ['status'] },
    },
  },
})
const thing = schema.find('GET', '/things/1')

function problemOf(operation: typeof thing, status: number, body: unknown, contentType = 'application/json'): unknown {
  return schema.problemOf(operation, { status, contentType, text: JSON.stringify(body) })
}

test('what is written out in a path goes before a parameter, and an empty part is none', () => {
  expect(thing?.id).toBe('get_thing')
  expect(schema.find('GET', '/things/all')?.id).toBe('list_things')
  expect(schema.find('GET', '/things/')).toBeUndefined()
  expect(schema.find('POST', '/things/1')).toBeUndefined()
})

test('an answer as published has no problem', () => {
  expect(problemOf(thing, 200, { at: '2026-11-15T12:00:00.000Z' }, 'application/json; charset=utf-8')).toBeUndefined()
  expect(problemOf(schema.find('GET', '/things/all'), 200, [])).toBeUndefined()
})

test.each([
  ['a member that is not published', 200, { at: '2026-11-15T12:00:00.000Z', more: 1 }],
  ['a member that is missing', 200, {}],
  ['text that is not in its format', 200, { at: 'yesterday' }],
  ['a status that is not published', 202, { at: '2026-11-15T12:00:00.000Z' }],
  ['an error of another shape', 404, { statusCode: 404 }],
])('%s is a problem', (_, status, body) => {
  expect(problemOf(thing, status, body)).toBeTypeOf('string')
})

test.each([
  ['described', [1], true],
  ['described', { at: '2026-11-15T12:00:00.000Z' }, false],
  ['declared', { at: '2026-11-15T12:00:00.000Z' }, true],
  ['declared', [1], false],
  [undefined, [1], true],
  ['declared', { status: 1 }, true],
])('with form %s an answer must have this form, or one that both share: %j', (form, body, isRight) => {
  const answer = { status: 200, contentType: 'application/json', text: JSON.stringify(body), form }
  const problem = schema.problemOf(schema.find('GET', '/shapes'), answer)
  expect(problem === undefined).toBe(isRight)
})

test('another media type and what is not JSON are problems', () => {
  expect(problemOf(thing, 200, {}, 'text/plain')).toBeTypeOf('string')
  expect(schema.problemOf(thing, { status: 200, contentType: 'application/json', text: '{' })).toBe('not JSON')
})

test('where nothing is published only an error may be answered', () => {
  expect(problemOf(undefined, 404, { status: 404 })).toBeUndefined()
  expect(problemOf(undefined, 200, { status: 200 })).toBeTypeOf('string')
  expect(problemOf(undefined, 400, { statusCode: 400 })).toBeTypeOf('string')
})

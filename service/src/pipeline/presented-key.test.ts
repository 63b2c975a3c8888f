import { expect, test } from 'vitest'
import { ApiError } from '../domain/api-error.ts'
import { presentedKey } from './presented-key.ts'

const KEY = `br_live_${'a'.repeat(38)}`

test.each([
  ['in X-API-Key', { 'x-api-key': KEY }, KEY],
  ['as a Bearer token', { authorization: `Bearer ${KEY}` }, KEY],
  ['as a Bearer token, in any case', { authorization: `bearer  ${KEY} ` }, KEY],
  ['in both: X-API-Key decides', { 'x-api-key': KEY, authorization: 'Bearer other' }, KEY],
  ['beside the Authorization of a proxy', { 'x-api-key': KEY, authorization: 'Basic abc' }, KEY],
  ['as a Bearer token beside an empty X-API-Key', { 'x-api-key': '', authorization: `Bearer ${KEY}` }, KEY],
  ['nowhere', {}, undefined],
  ['in a cookie: it is not looked at', { cookie: `key=${KEY}` }, undefined],
])('a key %s', (_, headers, key) => {
  expect(presentedKey(headers)).toBe(key)
})

test.each([
  ['another scheme', { authorization: 'Basic abc' }, 'unsupported_scheme', 'the scheme Basic, which is not supported'],
  ['no scheme', { authorization: KEY }, 'unsupported_scheme', 'has no scheme'],
  ['an empty X-API-Key', { 'x-api-key': '' }, 'missing_key', 'The header X-API-Key contains no API key'],
  ['an empty token', { authorization: 'Bearer ' }, 'missing_key', 'The header Authorization contains no API key'],
])(
  '%s is refused with the headers that are accepted, and without repeating what may be a key',
  (_, headers, reason, text) => {
    const refusal = presentedKey(headers)
    if (!(refusal instanceof ApiError)) throw new Error('it was accepted')
    expect(refusal).toMatchObject({ code: 'unauthenticated', status: 401, details: { reason } })
    expect(refusal.message).toContain(text)
    expect(refusal.message).toContain('"X-API-Key: <key>" or "Authorization: Bearer <key>"')
    expect(refusal.message).not.toContain(KEY)
    expect(refusal.challenge).toBe('Bearer realm="bookreel"')
  },
)

import { expect, test } from 'vitest'
import { operatorRule } from './operator-rule.ts'

const tokenOf = (claims: unknown): string =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
const sessionOf = (claims: unknown) => ({ accountId: 'id', idToken: tokenOf(claims), name: 'Ada' })

test('without the setting nobody is an operator', () => {
  expect(operatorRule(undefined)(sessionOf({ operator: true, undefined: true }))).toBeUndefined()
})

test('a claim without a value must be true, and nothing else', () => {
  const rule = operatorRule('operator')
  expect(rule(sessionOf({ operator: true }))).toEqual({ name: 'Ada' })
  for (const operator of [false, 'true', 1, 'yes', ['true'], null, {}])
    expect(rule(sessionOf({ operator }))).toBeUndefined()
  expect(rule(sessionOf({}))).toBeUndefined()
})

test('a claim with a value is that value, or a list with it', () => {
  const rule = operatorRule('groups=book=reel')
  expect(rule(sessionOf({ groups: 'book=reel' }))).toEqual({ name: 'Ada' })
  expect(rule(sessionOf({ groups: ['staff', 'book=reel'] }))).toEqual({ name: 'Ada' })
  for (const groups of ['book', 'book=reel staff', ['book'], [['book=reel']], true, undefined])
    expect(rule(sessionOf({ groups }))).toBeUndefined()
})

test('an inherited member of an object is no claim, and an unreadable token has none', () => {
  expect(operatorRule('constructor')(sessionOf({}))).toBeUndefined()
  const rule = operatorRule('operator')
  for (const idToken of ['', 'a.b.c', tokenOf(null), tokenOf([true]), tokenOf('operator')])
    expect(rule({ accountId: 'id', idToken })).toBeUndefined()
})

test('the time of the proof is the one of the identity provider, and no other', () => {
  const rule = operatorRule('operator')
  expect(rule(sessionOf({ operator: true, auth_time: 1_790_000_000 }))?.provedAtMs).toBe(1_790_000_000_000)
  expect(rule(sessionOf({ operator: true, iat: 1_790_000_000 }))?.provedAtMs).toBeUndefined()
})

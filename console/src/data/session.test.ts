import { expect, test } from 'vitest'
import { sessionOf, signInAddress } from './session.ts'

const REPLY = {
  signedIn: true,
  accountId: 'id',
  email: null,
  name: 'Ada',
  idleUntil: '2026-11-18T12:30:00Z',
  lastsUntil: '2026-11-18T23:00:00Z',
}
const SERVER_MS = Date.parse('2026-11-18T12:00:00Z')

test('the end of a session does not depend on the clock of the computer', () => {
  for (const skewMs of [0, 3_600_000, -3_600_000]) {
    const session = sessionOf(REPLY, SERVER_MS, SERVER_MS + skewMs)
    expect(session).toMatchObject({ state: 'in', who: 'Ada', idleMs: 1_800_000 })
    expect('lastsUntilMs' in session && session.lastsUntilMs - skewMs).toBe(Date.parse(REPLY.lastsUntil))
  }
})

test('nobody is signed in without an account', () => {
  expect(sessionOf({ signedIn: false }, SERVER_MS, SERVER_MS)).toEqual({ state: 'out' })
})

test('the address to return to is one parameter', () => {
  expect(signInAddress('/app/usage?days=7&by=key')).toBe('/auth/login?return_to=%2Fapp%2Fusage%3Fdays%3D7%26by%3Dkey')
})

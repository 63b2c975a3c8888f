import { expect, test } from 'vitest'
import { expiryOf } from './session-expiry.ts'

const MINUTE = 60_000
const SESSION = { idleMs: 30 * MINUTE, lastsUntilMs: 720 * MINUTE }

test('the notice appears two minutes before the end, counted from the last request', () => {
  expect(expiryOf(SESSION, 0, 27 * MINUTE)).toBeUndefined()
  expect(expiryOf(SESSION, 0, 28 * MINUTE)).toEqual({ leftMs: 2 * MINUTE, canStay: true })
  expect(expiryOf(SESSION, 10 * MINUTE, 28 * MINUTE)).toBeUndefined()
})

test('a session that has reached its largest age cannot be extended', () => {
  expect(expiryOf(SESSION, 715 * MINUTE, 719 * MINUTE)).toEqual({ leftMs: MINUTE, canStay: false })
})

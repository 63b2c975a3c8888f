import type { Health } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { outageText, recordingText } from './outage-texts.ts'

const WELL: Health = {
  status: 'ok',
  analytics_store: 'ok',
  cache: 'ok',
  pipeline: 'ok',
  websocket: 'ok',
  accounts: 'ok',
  notices: [],
  checked_at: '2026-11-18T12:00:00Z',
}

test('an outage says what is unavailable and what works, and nothing is in both lists', () => {
  expect(outageText(WELL)).toBeUndefined()
  expect(outageText({ ...WELL, analytics_store: 'down' })).toMatch(
    /^Unavailable now: history; downloads\. These work: live books and prices; keys, credits and billing; sign-in; recording\. /,
  )
  expect(outageText({ ...WELL, accounts: 'down' })).toMatch(
    /^Unavailable now: downloads; keys, credits and billing; sign-in\. These work: live books and prices; history; recording\. /,
  )
  expect(outageText({ ...WELL, cache: 'down' })).toMatch(/ These work: recording\. /)
  expect(outageText({ ...WELL, cache: 'down', pipeline: 'down' })).not.toContain('These work')
})

test('without recording all requests work, so only pages with live books say so', () => {
  expect(outageText({ ...WELL, pipeline: 'down' })).toBeUndefined()
  expect(recordingText({ ...WELL, pipeline: 'down' })).toContain('no new books arrive')
  expect(recordingText({ ...WELL, pipeline: 'degraded' })).toBeUndefined()
})

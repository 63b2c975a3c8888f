import { expect, test } from 'vitest'
import { eventDetail, eventText } from './event-texts.ts'

test('an event of a kind that is not known yet is shown by its code', () => {
  expect(eventText('key_rotated')).toBe('Key rotated')
  expect(eventText('newly_invented')).toBe('Newly invented')
  expect(eventText('constructor')).toBe('Constructor')
})

test('the detail has what means something to people', () => {
  const detail = { label: 'bot', preview: 'br_live_…xChG', scopes: ['live'], credits: 5_000 }
  expect(eventDetail(detail)).toBe('bot · br_live_…xChG · credits 5000')
  expect(eventDetail({ label: 'Console', preview: '' })).toBe('Console')
})

import { expect, test } from 'vitest'
import { dayWords, incidentLength, serviceWords } from './status-texts.ts'

const DAY = {
  date: '2026-11-18',
  state: 'measured' as const,
  uptime: 100,
  incidents: 0,
  probes: 8_640,
  failed_probes: 0,
  missing_probes: 0,
}

test('a day says what was measured, and that nothing was when nothing was', () => {
  expect(dayWords(DAY)).toBe('100.00 % · no probe failed')
  expect(dayWords({ ...DAY, uptime: 99.9998, failed_probes: 1, incidents: 1, missing_probes: 20 })).toBe(
    '99.99 % · 1 of 8,640 probes failed · 20 probes were not made · 1 incident',
  )
  expect(dayWords({ ...DAY, state: 'no_data', uptime: null, probes: 0 })).toBe('no data: nothing was measured')
})

test('an open incident lasts until now', () => {
  const [start, end] = ['2026-11-18T12:00:00Z', '2026-11-18T12:05:00Z']
  expect(incidentLength(start, end, 0)).toBe('5 min')
  expect(incidentLength(start, null, Date.parse('2026-11-18T14:00:00Z'))).toBe('2 h')
})

test('a service that this console does not know is shown by its code', () => {
  expect(serviceWords('pipeline').name).toBe('Recording')
  expect(serviceWords('constructor').name).toBe('constructor')
})

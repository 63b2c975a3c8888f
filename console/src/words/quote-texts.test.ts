import { expect, test } from 'vitest'
import { quoteReason, spreadText } from './quote-texts.ts'

test('a spread is in cents, without the last digits of binary fractions', () => {
  expect(spreadText(0.52, 0.54)).toBe('2¢')
  expect(spreadText(0.1, 0.3)).toBe('20¢')
  expect(spreadText(0.521, 0.526)).toBe('0.5¢')
  expect(spreadText(0.55, 0.54)).toBe('-1¢')
  expect(spreadText(null, 0.54)).toBe('no bids')
  expect(spreadText(0.54, null)).toBe('no asks')
})

test('a reason of a newer service is shown by its code', () => {
  expect(quoteReason('no_recent_data')).toBe('no recent book')
  expect(quoteReason('paused' as 'no_recent_data')).toBe('paused')
})

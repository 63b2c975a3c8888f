import { expect, test } from 'vitest'
import type { FoundMarket } from '../shared/found-market.ts'
import { whyEmpty } from './requested-page.ts'

const DAY_MS = 86_400_000

test('an answer about a time whose rows are no longer kept says so, and not that nothing was recorded', () => {
  const market = { endsAtMs: 5 * DAY_MS } as FoundMarket
  const range = { marketId: '0x1', intervalMs: 250, fromSlot: 1, toSlot: 0, historyFromMs: undefined }
  const asked = { ...range, fromMs: 4 * DAY_MS, toMs: 5 * DAY_MS }
  const all = { ...range, fromMs: 0, toMs: 100 * DAY_MS }
  expect(whyEmpty({ market, window: undefined, range: asked, storedFromMs: 90 * DAY_MS }, [])).toBe('retention')
  expect(whyEmpty({ market, window: undefined, range: all, storedFromMs: 90 * DAY_MS }, [])).toBe('retention')
  expect(whyEmpty({ market, window: undefined, range: all, storedFromMs: 0 }, [])).toBe('not_recorded_yet')
})

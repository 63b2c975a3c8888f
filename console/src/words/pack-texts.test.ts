import { expect, test } from 'vitest'
import { grantedText, type Pack, type PresentPlan, packTitle, packTitleOf, purchaseText } from './pack-texts.ts'

const TIERS = ['free', 'pro', 'scale']
const PRO: Pack = { id: 'pro_monthly', tier: 'pro', priceUsd: 17, credits: 50_000, months: 1 }
const CREDITS: Pack = { id: 'credits_10k', tier: null, priceUsd: 5, credits: 10_000, months: 0 }

test('packs have a title, and a pack that is not sold any more its id', () => {
  expect(packTitle(PRO)).toBe('Pro, 1 month')
  expect(packTitle({ ...PRO, months: 12 })).toBe('Pro, 12 months')
  expect(packTitle(CREDITS)).toBe('10,000 credits')
  expect(packTitleOf('gone', [PRO])).toBe('gone')
})

const PLAN = { provider: 'btcpay', tier: 'pro', expiresAt: '2026-12-01T00:00:00.000Z', waiting: [] }

test('a purchase says when it begins, and until when it goes on', () => {
  const text = (pack: Pack, plan: Partial<PresentPlan>) => purchaseText(pack, { ...PLAN, ...plan }, TIERS, 'utc')
  expect(text(PRO, { tier: 'free' })).toBe('50,000 credits a month. Begins when the payment is confirmed.')
  expect(text(PRO, {})).toContain('Extends your present tier to 1 Jan 2027.')
  expect(text({ ...PRO, tier: 'scale' }, {})).toContain('The rest of Pro follows it')
  expect(text(PRO, { tier: 'scale' })).toContain('Waits until 1 Dec 2026')
  const waiting = [{ tier: 'pro', until: '2027-02-01T00:00:00.000Z' }]
  expect(text(PRO, { tier: 'scale', waiting })).toContain('Waits until 1 Feb 2027')
  expect(text(PRO, { provider: 'operator' })).toContain('The operator has set your tier')
  expect(text(CREDITS, {})).toContain('Credits do not expire')
})

test('a paid invoice says what it has brought', () => {
  expect(grantedText(CREDITS)).toBe('10,000 credits were added, and they do not expire.')
  expect(grantedText(PRO)).toContain('Pro, 1 month. 50,000 credits were added')
  expect(grantedText(undefined)).toBe('What you bought is in your account.')
})

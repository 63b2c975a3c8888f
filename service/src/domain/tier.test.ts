import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { CATEGORIES } from './market.ts'
import { PACKS, packById } from './packs.ts'
import { type Capability, mayUse, requireUse, TIER_LIMITS, TIERS } from './tier.ts'

const HOUR_MS = 3_600_000

/** Written out by hand from the tier table: free, pro, scale, enterprise. */
const MATRIX: [Capability, boolean, boolean, boolean, boolean][] = [
  ['live_exchange_book', false, false, true, true],
  ['tabular_formats', false, false, true, true],
  ['mcp_full', false, true, true, true],
  ['websocket', false, true, true, true],
  [{ category: 'crypto' }, true, true, true, true],
  [{ category: 'sports' }, false, true, true, true],
  [{ category: 'equities' }, false, true, true, true],
  [{ historyAgeMs: 24 * HOUR_MS }, true, true, true, true],
  [{ historyAgeMs: 24 * HOUR_MS + 1 }, false, true, true, true],
  [{ historyAgeMs: 10_000 * HOUR_MS }, false, true, true, true],
]

test.each(MATRIX)('the table of tiers: %j: free %s, pro %s, scale %s, enterprise %s', (capability, ...allowed) => {
  expect(TIERS.map((tier) => mayUse(tier, capability))).toEqual(allowed)
})

test('the limits are those of the tier table', () => {
  const rows = TIERS.map((tier) => {
    const { rpm, wsMax, historyHours, mcp, maxKeys, creditsPerMonth } = TIER_LIMITS[tier]
    return [rpm, wsMax, historyHours, mcp, maxKeys, creditsPerMonth]
  })
  expect(rows).toEqual([
    [60, 0, 24, 'read', 1, 5_000],
    [300, 1, 0, 'full', 5, 50_000],
    [1_000, 5, 0, 'full', 10, 500_000],
    [3_000, 10, 0, 'full', 20, 5_000_000],
  ])
  expect(TIERS.map((tier) => TIER_LIMITS[tier].categories)).toEqual([['crypto'], CATEGORIES, CATEGORIES, CATEGORIES])
})

test('a refusal names the tiers that would do, with the status that was asked for', () => {
  const refusal = (() => {
    try {
      requireUse('free', 'tabular_formats', { status: 402 })
    } catch (error) {
      return error
    }
  })()
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal).toMatchObject({
    code: 'tier_not_allowed',
    status: 402,
    details: { tier: 'free', allowed_tiers: ['scale', 'enterprise'] },
  })
  expect(() => requireUse('scale', 'tabular_formats')).not.toThrow()
})

test('a pack with a tier brings what the tier grants a month, an annual one every month of a year', () => {
  for (const { tier, credits, months } of PACKS) {
    expect(months > 0).toBe(tier !== null)
    if (tier !== null) expect(credits).toBe(TIER_LIMITS[tier].creditsPerMonth)
  }
  expect(packById('scale_annual')).toEqual({
    id: 'scale_annual',
    tier: 'scale',
    priceUsd: 360,
    credits: 500_000,
    months: 12,
  })
  expect(packById('nothing')).toBeUndefined()
})

test('a tier is named in its table and in the packs that sell it, and nowhere else in the service', () => {
  const folder = new URL('../', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const named = files.filter(
    (file) =>
      /(?<!\.test)\.ts$/.test(file) && /'(pro|scale|enterprise)'/.test(readFileSync(new URL(file, folder), 'utf8')),
  )
  expect(named.toSorted()).toEqual(['domain/packs.ts'])
})

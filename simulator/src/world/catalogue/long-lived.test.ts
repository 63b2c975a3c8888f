import { expect, test } from 'vitest'
import { longLivedEvents } from './long-lived.ts'

const START_MS = Date.parse('2026-11-15T02:24:30Z')

test('two thousand markets have two thousand slugs', () => {
  const events = longLivedEvents('test', START_MS, 2_000)
  const slugs = events.flatMap(({ markets }) => markets.map(({ slug }) => slug))
  expect(slugs.length).toBe(2_000)
  expect(new Set(slugs).size).toBe(2_000)
  expect(new Set(events.map(({ slug }) => slug)).size).toBe(events.length)
  for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
})

test('even a small world has every kind of event of every category', () => {
  const slugs = longLivedEvents('test', START_MS, 140).map(({ slug }) => slug)
  const kinds = [
    /^bitcoin-above-on-/,
    /^what-price-will-bitcoin-hit-in-/,
    /^nba-/,
    /^nfl-/,
    /^epl-/,
    /^fed-decision-in-/,
    /^highest-temperature-in-/,
    /^lowest-temperature-in-/,
    /^will-hurricane-/,
    /^how-much-snow-in-/,
    /^elon-musk-of-tweets-/,
    /-up-or-down-on-/,
    /-ipo-before-/,
    /-valuation-at-the-end-of-/,
    /beat-quarterly-earnings/,
    /^tesla-deliveries-in-q/,
    /^largest-company-/,
    /do-better-than/,
    /^spx-up-or-down-on-/,
    /^spx-opens-up-or-down-on-/,
    /^gold-above-on-/,
    /^will-eur-usd-/,
    /finish-\d{4}-higher/,
  ]
  for (const kind of kinds)
    expect(
      slugs.some((slug) => kind.test(slug)),
      String(kind),
    ).toBe(true)
})

test('prices of the answers of one question add up to one', () => {
  for (const { negRisk, slug, markets } of longLivedEvents('test', START_MS, 500)) {
    if (!negRisk) continue
    const sum = markets.reduce((total, { usualPrice = 0 }) => total + usualPrice, 0)
    expect(sum, slug).toBeLessThan(1.01)
  }
})

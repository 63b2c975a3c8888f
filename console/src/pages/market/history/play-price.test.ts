import type { Bar, Estimate } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { playPrice, playText } from './play-price.ts'

const START = Date.parse('2026-11-18T12:00:00Z')
const bars = Array.from({ length: 10 }, (_, minute) => ({
  start: new Date(START + minute * 60_000).toISOString(),
  snapshot_count: 240,
})) as Bar[]
const facts = {
  unknownFromMs: START,
  toMs: START + 600_000,
  creditsLeft: undefined,
  estimate: undefined,
  bars,
  barMs: 60_000,
}

test('until the service has told the price it is counted from the bars, and said so', () => {
  expect(playPrice(facts)).toEqual({ credits: 5, isNear: true })
  expect(playPrice({ ...facts, unknownFromMs: START + 90_000, toMs: START + 120_000 })?.credits).toBe(1)
  expect(playText(600_000, playPrice(facts))).toBe('Play 10 min · ≈ 5 credits')
})

test('the price of the service counts, an open replay never costs more than it has left, and known slots are free', () => {
  const estimate = { credits: 4 } as Estimate
  expect(playPrice({ ...facts, estimate })).toEqual({ credits: 4, isNear: false })
  expect(playPrice({ ...facts, estimate, creditsLeft: 3 })?.credits).toBe(3)
  expect(playPrice({ ...facts, estimate, creditsLeft: 9 })?.credits).toBe(4)
  expect(playText(600_000, playPrice({ ...facts, unknownFromMs: undefined }))).toBe('Play 10 min · free')
  const nothing = playPrice({ ...facts, bars: undefined })
  expect(playText(600_000, nothing)).toBe('Play 10 min · price …')
  expect(playPrice({ ...facts, bars: undefined, estimate })).toEqual({ credits: 4, isNear: false })
})

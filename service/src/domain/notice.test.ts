import { expect, test } from 'vitest'
import { noticesOf } from './notice.ts'

function recorder(name: string, readings: Readonly<Record<string, number>>) {
  return {
    roles: ['capture'],
    process: 'one',
    atMs: 1,
    startedAtMs: 0,
    metrics: [
      {
        name,
        kind: 'gauge' as const,
        readings: Object.entries(readings).map(([venue, value]) => ({ labels: { venue }, value })),
      },
    ],
  }
}

test('a changed hash rule is one notice per venue, whose message says what an operator does', () => {
  const name = 'capture_proof_rule_changed'
  const notices = noticesOf([
    recorder(name, { polymarket: 0 }),
    recorder(name, { polymarket: 1, other: 0 }),
    recorder(name, { polymarket: 1 }),
    recorder('capture_followed_markets', { other: 5 }),
  ])
  expect(notices).toMatchObject([{ code: 'proof_rule_changed', venue: 'polymarket' }])
  expect(notices[0]?.message).toContain('service/src/venues/polymarket/hash-rules.ts')
  expect(notices[0]?.message).toContain('hash-rules.ts')
  expect(noticesOf([recorder(name, { polymarket: 0 })])).toEqual([])
})

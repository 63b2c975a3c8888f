import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SocketPlan } from './socket-plan.ts'

test('every market has one socket, no socket is over its limit, and an empty socket is removed', () => {
  const step = fc.record({ market: fc.integer({ min: 0, max: 30 }).map(String), isAdded: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const plan = new SocketPlan(4)
      const followed = new Set<string>()
      for (const { market, isAdded } of steps) {
        if (isAdded) {
          const { socket } = plan.add(market)
          followed.add(market)
          expect(plan.socketOf(market)).toBe(socket)
        } else {
          const left = plan.remove(market)
          expect(left !== undefined).toBe(followed.delete(market))
        }
      }
      const assigned = [...plan.sockets.values()].flatMap((markets) => [...markets])
      expect(new Set(assigned)).toEqual(followed)
      expect(assigned.length).toBe(followed.size)
      for (const markets of plan.sockets.values()) {
        expect(markets.size).toBeLessThanOrEqual(4)
        expect(markets.size).toBeGreaterThan(0)
      }
    }),
  )
})

test('a market keeps its socket when it is added again', () => {
  const plan = new SocketPlan(1)
  const first = plan.add('a')
  expect([first.isNew, plan.add('b').isNew, plan.add('a')]).toEqual([
    true,
    true,
    { socket: first.socket, isNew: false },
  ])
})

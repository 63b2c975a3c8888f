import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SocketPlan } from './socket-plan.ts'

test('every market has one seat, no socket is over-full, and an empty one is gone', () => {
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
      const seated = [...plan.sockets.values()].flatMap((markets) => [...markets])
      expect(new Set(seated)).toEqual(followed)
      expect(seated.length).toBe(followed.size)
      for (const markets of plan.sockets.values()) {
        expect(markets.size).toBeLessThanOrEqual(4)
        expect(markets.size).toBeGreaterThan(0)
      }
    }),
  )
})

test('a market keeps its seat when it is added again', () => {
  const plan = new SocketPlan(1)
  const first = plan.add('a')
  expect([first.isNew, plan.add('b').isNew, plan.add('a')]).toEqual([
    true,
    true,
    { socket: first.socket, isNew: false },
  ])
})

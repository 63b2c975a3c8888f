import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Traffic } from '../venues/venue.ts'
import { SocketPlan } from './socket-plan.ts'

const LIMITS = { marketsPerSocket: 4, budget: { framesPerS: 100, bytesPerS: 100_000 } }

function planOf(framesPerS: (marketId: string) => number): SocketPlan {
  return new SocketPlan(LIMITS, (id): Traffic => ({ framesPerS: framesPerS(id), bytesPerS: 0 }))
}

function add(plan: SocketPlan, id: string, framesPerS: number, isExclusive = false): number {
  const socket = plan.choose({ framesPerS, bytesPerS: 0, isExclusive })
  plan.assign(id, socket)
  return socket
}

test('whatever is added, moved and removed, every market has its sockets, no socket is over its limits, and none is empty', () => {
  const step = fc.record({
    market: fc.integer({ min: 0, max: 20 }).map(String),
    act: fc.constantFrom('add', 'remove', 'move', 'switch', 'cancel', 'leave'),
    isExclusive: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const plan = planOf((id) => Number(id) * 4)
      const followed = new Set<string>()
      const sockets = new Set<number>()
      for (const { market, act, isExclusive } of steps) {
        const place = plan.places.get(market)
        if (act === 'add' && !followed.has(market)) {
          sockets.add(add(plan, market, Number(market) * 4, isExclusive))
          followed.add(market)
        } else if (act === 'remove') {
          plan.remove(market)
          followed.delete(market)
        } else if (act === 'move' && place !== undefined && place.next === undefined && place.leaving === undefined) {
          const traffic = { framesPerS: Number(market) * 4, bytesPerS: 0, isExclusive }
          const socket = plan.choose(traffic, new Set([place.current]))
          sockets.add(socket)
          plan.beginMove(market, socket)
        } else if (act === 'switch') plan.switchOver(market)
        else if (act === 'cancel') plan.cancelMove(market)
        else if (act === 'leave') plan.leave(market)
        for (const empty of plan.takeEmpty()) sockets.delete(empty)
        for (const socket of sockets) {
          const markets = plan.marketsOn(socket)
          expect(markets.length).toBeGreaterThan(0)
          expect(markets.length).toBeLessThanOrEqual(plan.isExclusive(socket) ? 1 : 4)
          if (markets.length > 1) expect(plan.loadOf(socket).framesPerS).toBeLessThanOrEqual(100)
        }
      }
      expect(new Set(plan.places.keys())).toEqual(followed)
      for (const [id, { current, next, leaving }] of plan.places) {
        const held = [...sockets].filter((socket) => plan.marketsOn(socket).includes(id))
        expect(new Set(held)).toEqual(new Set([current, next, leaving].filter((socket) => socket !== undefined)))
      }
    }),
  )
})

test('a busy window has its own socket, and quiet markets share one', () => {
  const plan = planOf(() => 1)
  const window = add(plan, 'window', 40, true)
  const [one, two] = [add(plan, 'one', 1), add(plan, 'two', 1)]
  expect(one).toBe(two)
  expect(one).not.toBe(window)
  expect(add(plan, 'other window', 40, true)).not.toBe(window)
})

test('a socket that must deliver too much gives its busiest markets away, never its last one', () => {
  const measured: Record<string, number> = { a: 1, b: 1, c: 1 }
  const plan = planOf((id) => measured[id] ?? 0)
  const socket = add(plan, 'a', 1)
  for (const id of ['b', 'c']) add(plan, id, 1)
  expect(plan.tooMuchOn(socket)).toEqual([])
  Object.assign(measured, { a: 60, b: 50, c: 5 })
  expect(plan.tooMuchOn(socket)).toEqual(['a'])
  Object.assign(measured, { a: 500, b: 300, c: 200 })
  expect(plan.tooMuchOn(socket)).toEqual(['a', 'b'])
})

test('markets are halved by traffic', () => {
  const measured: Record<string, number> = { a: 60, b: 30, c: 20, d: 10 }
  expect(planOf((id) => measured[id] ?? 0).halvesOf(['a', 'b', 'c', 'd'])).toEqual([['a'], ['b', 'c', 'd']])
})

import { expect, test } from 'vitest'
import { CATEGORY_PLANS } from '../domain/plan.ts'
import { LoadShedding } from './load-shedding.ts'

function scene() {
  const state = { load: 0.3, shed: [] as string[], changes: 0 }
  const shedding = new LoadShedding({
    plans: CATEGORY_PLANS,
    load: () => state.load,
    shedAbove: 0.9,
    onShed: (planIds) => {
      state.shed = [...planIds]
      state.changes++
    },
  })
  const forSeconds = (seconds: number, load: number): void => {
    state.load = load
    for (let second = 0; second < seconds; second++) shedding.look()
  }
  return { state, shedding, forSeconds }
}

test('a short burst sheds nothing; a lasting one sheds the least important plan, and then the next', () => {
  const { state, forSeconds, shedding } = scene()
  forSeconds(9, 0.99)
  forSeconds(1, 0.5)
  forSeconds(9, 0.99)
  expect(state.changes).toBe(0)
  forSeconds(1, 0.99)
  expect(state.shed).toEqual(['weather'])
  expect([shedding.isShed('weather'), shedding.isShed('crypto')]).toEqual([true, false])
  forSeconds(10, 0.99)
  expect(state.shed).toEqual(['weather', 'social'])
})

test('the most important plan is never shed', () => {
  const { state, forSeconds } = scene()
  forSeconds(1_000, 1)
  expect(state.shed).toEqual(['weather', 'social', 'economics', 'equities', 'sports'])
})

test('a plan comes back after half a minute with time to spare, not with just less than too much', () => {
  const { state, forSeconds } = scene()
  forSeconds(10, 0.99)
  forSeconds(500, 0.8)
  expect(state.shed).toEqual(['weather'])
  forSeconds(29, 0.5)
  expect(state.shed).toEqual(['weather'])
  forSeconds(1, 0.5)
  expect(state.shed).toEqual([])
})

test('a plan that came back too early waits twice as long the next time', () => {
  const { state, forSeconds } = scene()
  forSeconds(10, 0.99)
  forSeconds(30, 0.5)
  forSeconds(10, 0.99)
  expect(state.shed).toEqual(['weather'])
  forSeconds(59, 0.5)
  expect(state.shed).toEqual(['weather'])
  forSeconds(1, 0.5)
  expect(state.shed).toEqual([])
  forSeconds(100, 0.8)
  forSeconds(10, 0.99)
  forSeconds(30, 0.5)
  expect(state.shed).toEqual([])
})

test('standby work goes first and comes back last', () => {
  const events: string[] = []
  let [load, isStandby] = [1, true]
  const shedding = new LoadShedding({
    plans: CATEGORY_PLANS,
    load: () => load,
    shedAbove: 0.9,
    onShed: (planIds) => events.push([...planIds].join(' ') || 'all plans'),
    standbyWork: {
      isDone: () => isStandby,
      drop: (isDropped) => {
        isStandby = !isDropped
        events.push(isDropped ? 'no standby work' : 'standby work')
      },
    },
  })
  for (let second = 0; second < 20; second++) shedding.look()
  load = 0.3
  for (let second = 0; second < 60; second++) shedding.look()
  expect(events).toEqual(['no standby work', 'weather', 'all plans', 'standby work'])
})

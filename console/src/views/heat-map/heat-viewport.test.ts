import { expect, test } from 'vitest'
import { HeatViewport } from './heat-viewport.ts'

const LIMITS = { leastMs: 60_000, mostMs: 14_400_000, rows: 100 }

test('a zoom keeps the time under the pointer, and stays within its limits', () => {
  const view = new HeatViewport({ fromMs: 0, toMs: 1_000_000, isFollowing: false }, LIMITS)
  view.zoomTime(0.5, 0.25)
  expect([view.fromMs, view.toMs]).toEqual([125_000, 625_000])
  for (let times = 0; times < 20; times++) view.zoomTime(0.5, 0.5)
  expect(view.spanMs).toBe(60_000)
  for (let times = 0; times < 20; times++) view.zoomTime(2, 0.5)
  expect(view.spanMs).toBe(14_400_000)
})

test('a view that follows keeps its end when it is zoomed, and follows no more once it is moved', () => {
  const view = new HeatViewport({ fromMs: 0, toMs: 1_000_000, isFollowing: true }, LIMITS)
  view.zoomTime(0.5, 0.1)
  expect([view.fromMs, view.toMs]).toEqual([500_000, 1_000_000])
  view.follow(1_001_000)
  expect([view.fromMs, view.toMs]).toEqual([501_000, 1_001_000])
  view.pan(-0.5, 0)
  expect([view.fromMs, view.toMs, view.isFollowing]).toEqual([251_000, 751_000, false])
})

test('prices never leave the axis', () => {
  const view = new HeatViewport({ fromMs: 0, toMs: 1_000_000, isFollowing: true }, LIMITS)
  view.showRows(40, 60)
  view.pan(0, 10)
  expect([view.low, view.high]).toEqual([80, 100])
  view.zoomPrice(100, 0.5)
  expect([view.low, view.high]).toEqual([0, 100])
  view.zoomPrice(0.001, 0.5)
  expect([view.low, view.high]).toEqual([46, 54])
})

test('listeners hear of changes of the user, and not of the time that passes', () => {
  const view = new HeatViewport({ fromMs: 0, toMs: 1_000_000, isFollowing: true }, LIMITS)
  let changes = 0
  const remove = view.onChange(() => changes++)
  view.follow(2_000_000)
  expect(changes).toBe(0)
  view.zoomTime(0.5, 0.5)
  expect(changes).toBe(1)
  remove()
  view.zoomTime(0.5, 0.5)
  expect(changes).toBe(1)
})

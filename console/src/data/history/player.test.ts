import { expect, test } from 'vitest'
import { FrameCache } from './frame-cache.ts'
import { PackedBook } from './packed-book.ts'
import { Player, type ReplaySession } from './player.ts'

const INTERVAL_MS = 250
const BOOK = new PackedBook({
  up: { bids: [], asks: [] },
  down: { bids: [], asks: [] },
  capturedAt: 0,
  flags: [],
})

/** A player of the slots 100 to 199, and a list of what it asked the service for. */
function scene() {
  const cache = new FrameCache(1_000_000)
  const asked: string[] = []
  const clock = { ms: 0 }
  const session: ReplaySession = {
    pause: () => asked.push('pause'),
    resume: () => asked.push('resume'),
    setSpeed: (speed) => asked.push(`speed ${speed}`),
    seek: (slot) => asked.push(`seek ${slot}`),
    stop: () => asked.push('stop'),
  }
  const player = new Player({
    cache,
    intervalMs: INTERVAL_MS,
    firstSlot: 100,
    lastSlot: 199,
    nowMs: () => clock.ms,
    open: (fromSlot, speed) => {
      asked.push(`open ${fromSlot} ${speed}`)
      return session
    },
  })
  const receive = (from: number, to: number): void => {
    for (let slot = from; slot <= to; slot++) {
      cache.put(slot, BOOK)
      player.received(slot)
    }
  }
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.ms += 50
      player.tick()
    }
  }
  return { player, cache, asked, clock, receive, pass }
}

test('the playhead is at the last frame, never ahead of it, and the page says when it waits', () => {
  const { player, asked, receive, pass } = scene()
  player.play()
  expect(asked).toEqual(['open 100 1'])
  pass(1_000)
  expect([player.state, player.slot]).toEqual(['playing', 100])
  receive(100, 103)
  expect(player.slot).toBe(103)
  pass(1_700)
  expect([player.state, player.slot]).toEqual(['playing', 103])
  pass(200)
  expect([player.state, player.slot]).toEqual(['waiting', 103])
  receive(104, 104)
  expect([player.state, player.slot]).toEqual(['playing', 104])
})

test('going back plays what was received without a request, by the clock, and then goes on', () => {
  const { player, asked, receive, pass } = scene()
  player.play()
  receive(100, 120)
  player.pause()
  player.moveTo(101)
  expect(player.firstUnknown).toBe(121)
  player.play()
  pass(1_000)
  expect(player.slot).toBe(105)
  player.setSpeed(2)
  pass(1_000)
  expect(player.slot).toBe(113)
  expect(asked).toEqual(['open 100 1', 'pause', 'speed 2'])
  pass(1_000)
  expect([player.slot, asked.at(-1)]).toEqual([120, 'resume'])
  receive(121, 121)
  expect(player.slot).toBe(121)
})

test('a jump beyond what is known seeks in the open replay; one before its start pauses, because it has another price', () => {
  const { player, asked, receive } = scene()
  player.moveTo(120)
  player.play()
  receive(120, 125)
  player.moveTo(150)
  expect([player.state, ...asked.slice(1)]).toEqual(['playing', 'pause', 'seek 150', 'resume'])
  receive(150, 151)
  expect(player.slot).toBe(151)
  player.moveTo(110)
  expect([player.state, player.firstUnknown, player.covers(110), asked.at(-1)]).toEqual(['paused', 110, false, 'pause'])
  player.play()
  expect(asked.slice(-2)).toEqual(['stop', 'open 110 1'])
})

test('frames that still arrive after a pause do not move the playhead, and are played next', () => {
  const { player, asked, receive, pass } = scene()
  player.play()
  receive(100, 110)
  player.pause()
  receive(111, 130)
  pass(1_000)
  expect(player.slot).toBe(110)
  player.play()
  pass(500)
  expect(player.slot).toBe(112)
  expect(asked).toEqual(['open 100 1', 'pause'])
})

test('a gap is played at its real length', () => {
  const { player, cache, receive, pass } = scene()
  cache.putMissing(105, 124)
  player.play()
  receive(100, 104)
  pass(2_500)
  expect([player.state, player.slot]).toEqual(['playing', 114])
  pass(2_500)
  expect([player.state, player.slot]).toEqual(['playing', 124])
  pass(1_000)
  expect([player.state, player.slot]).toEqual(['playing', 124])
  receive(125, 125)
  expect(player.slot).toBe(125)
})

test('at the greatest speed every frame counts, and the playhead stops at the end of the range', () => {
  const { player, asked, receive, pass } = scene()
  player.setSpeed('max')
  player.play()
  receive(100, 199)
  expect([player.state, player.slot]).toEqual(['paused', 199])
  player.ended(true)
  player.moveTo(100)
  expect(player.firstUnknown).toBeUndefined()
  player.play()
  pass(50)
  expect([player.state, player.slot]).toEqual(['paused', 199])
  expect(asked).toEqual(['open 100 max', 'pause'])
  player.play()
  expect(player.state).toBe('paused')
})

test('a replay that ends early stops the playhead where it is; a complete one has nothing after its last frame', () => {
  const early = scene()
  early.player.play()
  early.receive(100, 110)
  early.player.ended(false)
  expect([early.player.state, early.player.slot, early.player.covers(111)]).toEqual(['paused', 110, false])
  const known = scene()
  known.player.play()
  known.receive(100, 190)
  known.player.moveTo(110)
  known.player.ended(false)
  known.pass(60_000)
  expect([known.player.state, known.asked.filter((each) => each.startsWith('open'))]).toEqual([
    'paused',
    ['open 100 1'],
  ])
  const complete = scene()
  complete.player.play()
  complete.receive(100, 190)
  complete.player.ended(true)
  expect([complete.player.state, complete.player.slot]).toEqual(['paused', 199])
})

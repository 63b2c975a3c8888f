import { expect, test } from 'vitest'
import { ProblemLog } from './problem-log.ts'

function open() {
  const lines: { times: number; message: string }[] = []
  const clock = { nowMs: 0 }
  const warn = (fields: { times: number }, message: string): void => void lines.push({ times: fields.times, message })
  return { lines, clock, log: new ProblemLog({ warn } as never, () => clock.nowMs) }
}

test('a problem in every frame is logged once a minute for each kind and key, with the count since', () => {
  const { lines, clock, log } = open()
  for (let second = 0; second < 121; second++) {
    clock.nowMs = second * 1_000
    for (let frame = 0; frame < 100; frame++) {
      log.warn('frame not understood', 'unknown key "a"')
      log.warn('frame not understood', 'unknown key "b"')
    }
  }
  const ofOne = [1, 6_000, 6_000].map((times) => ({ times, message: 'frame not understood' }))
  expect(lines).toEqual(ofOne.flatMap((line) => [line, line]))
})

test('keys that are new in every frame share a line', () => {
  const { lines, clock, log } = open()
  for (let frame = 0; frame < 20_000; frame++) {
    clock.nowMs = frame
    const letters = String(frame).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    log.warn('frame not understood', `unknown key "${letters}"`)
  }
  expect(lines).toHaveLength(481)
  expect(lines.at(-1)).toEqual({ times: 1, message: 'other problems' })
})

test('problems that differ in a number only are one problem', () => {
  const { lines, log } = open()
  for (let length = 0; length < 100; length++) log.warn('frame not understood', `invalid JSON of ${length} characters`)
  expect(lines).toEqual([{ times: 1, message: 'frame not understood' }])
})

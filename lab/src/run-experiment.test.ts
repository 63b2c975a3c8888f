import { expect, test } from 'vitest'
import { createProgressLine, renderTable } from './run-experiment.ts'

test('a terminal sees one line rewritten, then removed', () => {
  const written: string[] = []
  const line = createProgressLine(
    (text) => written.push(text),
    true,
    () => 0,
  )
  line.report('1 of 2')
  line.report('2 of 2')
  line.clear()
  line.clear()
  expect(written).toEqual(['\r\u001b[2K1 of 2', '\r\u001b[2K2 of 2', '\r\u001b[2K'])
})

test('a log gets a line every five seconds at most', () => {
  const written: string[] = []
  let nowMs = 0
  const line = createProgressLine(
    (text) => written.push(text),
    false,
    () => nowMs,
  )
  for (nowMs = 0; nowMs <= 11_000; nowMs += 1_000) line.report(`at ${nowMs}`)
  line.clear()
  expect(written).toEqual(['at 0\n', 'at 5000\n', 'at 10000\n'])
})

test('colour is used only when asked for', () => {
  const bounds = [{ name: 'n', value: 1, bound: '<= 0', ok: false }]
  expect(renderTable('x', {}, bounds, false)).not.toContain('\u001b')
  expect(renderTable('x', {}, bounds, true)).toContain('\u001b[31m')
})

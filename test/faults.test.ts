import { expect, test } from 'vitest'
import { textOf, trackedFiles } from './repository.ts'

const PAGE = 'docs/venues/faults.md'

/** Numbers of all faults observed at real venues: Polymarket WebSocket, Polymarket REST, spot, Hyperliquid. */
const SEEN = [...range(1, 27), ...range(30, 43), ...range(50, 57), ...range(60, 72)]

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `F${from + index}`)
}

const rows = [...textOf(PAGE).matchAll(/^\| (F\d+) +\|(.*)\|$/gm)].map(([, number = '', rest = '']) => ({
  number,
  cells: rest.split('|').map((cell) => cell.trim()),
}))
const [shown, excused] = [rows.filter(({ cells }) => cells.length > 1), rows.filter(({ cells }) => cells.length === 1)]

test('every observed fault is listed, or the list says why it does not apply', () => {
  expect([...new Set(rows.map(({ number }) => number))].toSorted(byNumber)).toEqual(SEEN)
  expect(excused.filter(({ cells }) => (cells[0] ?? '').length < 6)).toEqual([])
  const unexcused = shown.filter(({ cells, number }) => {
    const isExcused = excused.some((excuse) => excuse.number === number)
    return (cells.at(-1) === 'does not apply') !== isExcused
  })
  expect(unexcused.map(({ number }) => number)).toEqual([])
})

test('every fault that applies has a recorder test with its number in the title', () => {
  for (const { number, cells } of shown) {
    const last = cells.at(-1) ?? ''
    if (last === 'does not apply') continue
    const files = [...last.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file)
    expect(files.length, `${number} names no test`).toBeGreaterThan(0)
    for (const file of files) {
      expect(trackedFiles(), number).toContain(file)
      expect(numbersIn(file), `${file} has no test of ${number}`).toContain(number)
    }
  }
})

/** Fault numbers in test titles. */
function numbersIn(file: string): string[] {
  const titles = textOf(file).matchAll(/(?:\b(?:test|describe)\(|^ {2}\[)\s*(['"`])((?:F\d+,? ?)+)/gm)
  return [...titles].flatMap(([, , numbers = '']) => numbers.match(/F\d+/g) ?? [])
}

function byNumber(one: string, other: string): number {
  return Number(one.slice(1)) - Number(other.slice(1))
}

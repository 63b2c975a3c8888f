import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TILE_COLUMNS } from './heat-map.ts'
import { creditsOfBooks, FREE_BOOKS_PER_DAY, hasExactColumns, PAGE_BOOKS, PAGE_CREDITS } from './prices.ts'
import { CONSOLE_RPM, TIER_LIMITS, type Tier } from './tier.ts'

const MINUTES = 1_440
/** Paths to exact books, and how many an answer has at most. */
const PATHS = [
  ['`/v1/asof`, 20 crypto markets with their perpetual future', 60],
  ['`/api/snapshot?includebook=true`', 2],
  ['`/v1/exchange/snapshots?limit=500`', 500],
  ['a tile of a heat map with the finest columns', TILE_COLUMNS],
] as const

const text = (count: number): string => count.toLocaleString('en')

/** What a day of such answers costs, one after the other. */
function creditsOfDay(books: number, answers: number): number {
  const partlyFree = Math.min(answers, Math.ceil(FREE_BOOKS_PER_DAY / books))
  let credits = 0
  for (let answer = 0; answer < partlyFree; answer++)
    credits += creditsOfBooks(books, FREE_BOOKS_PER_DAY - answer * books)
  return credits + (answers - partlyFree) * creditsOfBooks(books, 0)
}

/** How many of these answers the credits pay for. */
function payable(books: number, answers: number, credits: number): number {
  let [low, high] = [0, answers]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (creditsOfDay(books, middle) <= credits) low = middle
    else high = middle - 1
  }
  return low
}

function cellsOf(tier: Tier, books: number): string[] {
  const { rpm, creditsPerMonth } = TIER_LIMITS[tier]
  // Programs and pages of an account have a rate each.
  const answers = (rpm + CONSOLE_RPM[tier]) * MINUTES
  const paid = payable(books, answers, creditsPerMonth)
  return [text(answers * books), text(creditsOfDay(books, answers)), text(paid * books)]
}

test('the table of exact books in a day is that of the limits', () => {
  const rows = PATHS.map(([path, books]) => {
    const cells = [
      path,
      text(books),
      text(creditsOfBooks(books, 0)),
      ...cellsOf('free', books),
      ...cellsOf('pro', books),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('\n## Exact books in a day\n')
  expect(section.split('\n').filter((line) => /^\| [`a]/.test(line))).toEqual(rows)
})

test('exact books beyond the free ones cost what books of a full page cost, and only those beyond', () => {
  expect(creditsOfBooks(PAGE_BOOKS, 0)).toBe(PAGE_CREDITS)
  expect([creditsOfBooks(60, 60), creditsOfBooks(60, 59), creditsOfBooks(60, 10), creditsOfBooks(60, 9)]).toEqual([
    0, 1, 1, 2,
  ])
  expect([creditsOfBooks(0, 0), creditsOfBooks(2, -5)]).toEqual([0, 1])
})

test('columns of a heat map are exact below four slots or one second', () => {
  expect([
    hasExactColumns(4, 250),
    hasExactColumns(2, 500),
    hasExactColumns(4, 100),
    hasExactColumns(1, 3_000),
  ]).toEqual([false, true, true, true])
})

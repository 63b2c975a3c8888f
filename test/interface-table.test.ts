import { expect, test } from 'vitest'
import { CLAIMS } from '../service/test/conformance/claims.ts'
import { sectionOf } from '../service/test/conformance/statement.ts'
import { STATEMENTS } from '../service/test/conformance/statements.ts'
import { textOf, trackedFiles } from './repository.ts'

/** The parts of the interface in its order, each with its number of sentences and table rows; `0` is the introduction. */
const PARTS =
  '0:7 1:12 2.1:8 2.2:12 2.3:16 2.4:12 2.5:1 2.6:2 2.7:6 2.8:11 2.9:1 2.10:1 2.11:1 2.12:1 3:5 4:3 4.1:4 4.2:19 4.3:5 4.4:4 4.5:7 4.6:1 4.7:2 5:8 6:2 7:8 8:15 9:4'
    .split(' ')
    .map((part) => part.split(':'))

const isOpen = (statement: (typeof STATEMENTS)[0]): boolean => sectionOf(statement) === 'open'
const proofs = STATEMENTS.flatMap(({ id, shownBy }) => shownBy.map((proof) => ({ id, proof })))

function numbered(section: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${section}-${String(index + 1).padStart(2, '0')}`)
}

test('every sentence and table row of the interface has one statement, in its order', () => {
  const ids = PARTS.flatMap(([section = '', count]) => numbered(section, Number(count)))
  const open = STATEMENTS.filter(isOpen)
  expect(STATEMENTS.map(({ id }) => id)).toEqual([...ids, ...numbered('open', open.length)])
})

test('no cell is empty: a statement is kept exactly or by choices with their reasons, and has a test', () => {
  const isFilled = (text: string): boolean => text.trim().length > 1
  const isComplete = ({ says, kept, shownBy }: (typeof STATEMENTS)[0]): boolean =>
    isFilled(says) &&
    shownBy.length > 0 &&
    (kept === 'exact' || (kept.length > 0 && kept.every(({ choice, reason }) => isFilled(choice) && isFilled(reason))))
  expect(STATEMENTS.filter((each) => !isComplete(each)).map(({ id }) => id)).toEqual([])
  expect(STATEMENTS.filter((each) => isOpen(each) && each.kept === 'exact')).toEqual([])
})

test('every test that the table names exists', () => {
  const claims = new Set(CLAIMS.map(({ id }) => id))
  const files = new Set(trackedFiles())
  const isThere = ({ proof }: (typeof proofs)[0]): boolean => {
    if (typeof proof === 'string') return claims.has(proof)
    if (!files.has(proof.file)) return false
    const text = textOf(proof.file)
    return [`'${proof.title}'`, `\`${proof.title}\``].some((title) => text.includes(title))
  }
  expect(proofs.filter((each) => !isThere(each))).toEqual([])
})

test('every claim is named by a statement, or is beyond the interface', () => {
  const named = new Set(proofs.map(({ proof }) => proof))
  expect(CLAIMS.filter(({ id, section }) => section !== 'added' && !named.has(id)).map(({ id }) => id)).toEqual([])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Incident, IncidentSearch } from './incident.ts'
import { PROBE_EVERY_MS } from './probe.ts'

const FIRST = Date.UTC(2026, 10, 15)
const at = (slot: number): number => FIRST + slot * PROBE_EVERY_MS

/** One letter for each slot: `u`p, `d`own, or `-` for a missing probe. */
function incidentsOf(letters: string): Incident[] {
  const search = new IncidentSearch()
  for (const [slot, letter] of letters.split('').entries()) if (letter !== '-') search.add(at(slot), letter === 'u')
  return search.until(at(letters.length))
}

/** The same definition as a pattern over each part without a break: from three `d` to the next three `u`. */
function expectedOf(letters: string): Incident[] {
  return [...letters.matchAll(/((?!-{6}).)+/g)].flatMap(({ 0: part, index: partAt }) => {
    const slots = part.split('').flatMap((letter, slot) => (letter === '-' ? [] : [partAt + slot]))
    const known = part.replaceAll('-', '')
    const isLast = !/-{6}/.test(letters.slice(partAt + part.length - 1))
    return [...known.matchAll(/d{3}.*?(?=uuu|$)/g)].map(({ 0: text, index }) => {
      const end = index + text.length
      const startedAtMs = at(slots[index] ?? Number.NaN)
      if (end < known.length) return { startedAtMs, endedAtMs: at(slots[end] ?? Number.NaN) }
      return isLast
        ? { startedAtMs }
        : { startedAtMs, endedAtMs: at((slots[known.lastIndexOf('d')] ?? Number.NaN) + 1) }
    })
  })
}

describe('incidents', () => {
  test.each([
    ['uuuuuu', []],
    ['uudduu', []],
    ['uuddduuu', [{ startedAtMs: at(2), endedAtMs: at(5) }]],
    ['uud-d-du', [{ startedAtMs: at(2) }]],
    ['uu---------------uuu', []],
    ['uu---------------', []],
    ['ddduuduuduuu', [{ startedAtMs: at(0), endedAtMs: at(9) }]],
    ['udd------------duu', []],
    ['uddd------------uuu', [{ startedAtMs: at(1), endedAtMs: at(4) }]],
    ['uddd-----', [{ startedAtMs: at(1) }]],
    ['uddd------', [{ startedAtMs: at(1), endedAtMs: at(4) }]],
  ])('%s', (letters, expected) => {
    expect(incidentsOf(letters)).toEqual(expected)
  })

  test('are found in any sequence of probes as the pattern defines them', () => {
    const letter = fc.constantFrom('u', 'u', 'd', 'd', '-', '-------')
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 60 }), (sequence) => {
        const letters = sequence.join('')
        expect(incidentsOf(letters), letters).toEqual(expectedOf(letters))
      }),
      { numRuns: 5_000 },
    )
  })

  test('without a failed probe there is none, whatever is missing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('u', '-', '--------'), { maxLength: 60 }), (sequence) => {
        expect(incidentsOf(sequence.join(''))).toEqual([])
      }),
    )
  })
})

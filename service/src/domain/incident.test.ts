import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Incident, type IncidentWatch, judgeProbes } from './incident.ts'
import { PROBE_EVERY_MS } from './uptime.ts'

const FIRST = Date.UTC(2026, 10, 15)
const at = (slot: number): number => FIRST + slot * PROBE_EVERY_MS

/** One letter for each slot: `u`p, `d`own, or `-` for a probe that nobody made. */
function probesOf(letters: string): Map<number, boolean> {
  const known = letters
    .split('')
    .flatMap((letter, slot): [number, boolean][] => (letter === '-' ? [] : [[at(slot), letter === 'u']]))
  return new Map(known)
}

/** Judged piece by piece, up to each of the slots; the open one comes last. */
function incidentsOf(letters: string, stops: readonly number[] = []): Incident[] {
  const probes = probesOf(letters)
  let watch: IncidentWatch = { nextSlotMs: FIRST }
  const all: Incident[] = []
  for (const stop of [...stops, letters.length]) {
    const judged = judgeProbes(watch, probes, at(stop))
    watch = judged.watch
    all.push(...judged.ended)
  }
  return watch.open === undefined ? all : [...all, watch.open]
}

/** The same told in another way: from three bad letters on up to three good ones. */
function expectedOf(letters: string): Incident[] {
  return [...letters.matchAll(/[d-]{3}.*?(?=uuu|$)/g)].map(({ 0: text, index }) => {
    const end = index + text.length
    const isOver = letters.startsWith('uuu', end)
    return {
      startedAtMs: at(index),
      wasSeenDown: text.includes('d'),
      ...(isOver && { endedAtMs: at(end) }),
    }
  })
}

const sequences = fc.array(fc.constantFrom('u', 'u', 'd', '-'), { maxLength: 60 }).map((letters) => letters.join(''))

describe('incidents', () => {
  test.each([
    ['uuuuuu', []],
    ['uudduu', []],
    ['uuddduuu', [{ startedAtMs: at(2), endedAtMs: at(5), wasSeenDown: true }]],
    ['uud-du', [{ startedAtMs: at(2), wasSeenDown: true }]],
    ['uu----uuu', [{ startedAtMs: at(2), endedAtMs: at(6), wasSeenDown: false }]],
    ['---d', [{ startedAtMs: at(0), wasSeenDown: true }]],
    ['ddduuduuduuu', [{ startedAtMs: at(0), endedAtMs: at(9), wasSeenDown: true }]],
  ])('%s', (letters, expected) => {
    expect(incidentsOf(letters)).toEqual(expected)
  })

  test('of any sequence of probes are as three in a row say, judged at once or in any pieces', () => {
    const stops = fc.array(fc.nat(60), { maxLength: 8 }).map((each) => each.toSorted((one, other) => one - other))
    fc.assert(
      fc.property(sequences, stops, (letters, cuts) => {
        expect(
          incidentsOf(
            letters,
            cuts.filter((cut) => cut < letters.length),
          ),
        ).toEqual(expectedOf(letters))
      }),
      { numRuns: 2_000 },
    )
  })

  test('follow each other: only the last may be open, and none begins before the former has ended', () => {
    fc.assert(
      fc.property(sequences, (letters) => {
        const all = incidentsOf(letters)
        all.forEach(({ startedAtMs, endedAtMs }, index) => {
          const next = all[index + 1]
          expect(endedAtMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(startedAtMs)
          if (next !== undefined) expect(next.startedAtMs).toBeGreaterThan(endedAtMs ?? Number.POSITIVE_INFINITY)
        })
      }),
      { numRuns: 1_000 },
    )
  })
})

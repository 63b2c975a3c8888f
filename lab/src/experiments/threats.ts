import { fileURLToPath } from 'node:url'
import { usePoolServer } from '@bookreel/testbed/stacks/pool-server'
import { bound } from '../bound.ts'
import { SourceCopy } from '../defects/source-copy.ts'
import { experiment } from '../experiment.ts'
import { type Judged, judgeEntries } from '../threats/judge-entry.ts'
import { JudgedFile } from '../threats/judged-file.ts'
import { THREAT_ENTRIES } from '../threats/threat-entries.ts'
import type { ThreatEntry } from '../threats/threat-entry.ts'
import { THREATS } from '../threats/threats.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export const threats = experiment({
  name: 'threats',
  summary: 'Removes one defence at a time from a copy of the source and checks that its test fails.',
  options: {
    only: {
      description: 'only entries whose id is this, or whose defence, file or test contains this text',
      default: '',
    },
    parallel: { description: 'number of copies of the source that are tested at once', default: 2, atLeast: 1 },
    resume: { description: 'file for what was judged; a later run with it continues', default: '' },
  },
  async run({ only, parallel, resume }, progress) {
    const chosen = THREAT_ENTRIES.filter((entry) => isChosen(entry, only))
    if (chosen.length === 0) throw new Error(`No entry is about "${only}".`)
    await using pool = await usePoolServer()
    await using copies = new AsyncDisposableStack()
    const file = await JudgedFile.open(resume || undefined, THREAT_ENTRIES)
    const left = chosen.filter((entry) => file.of([entry]).length === 0)
    const waiting = [...Map.groupBy(left, ({ test }) => test.file).values()]
    const work = async (): Promise<void> => {
      if (waiting.length === 0) return
      const copy = copies.use(await SourceCopy.make(ROOT))
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const judged = file.of(chosen)
        progress(`${judged.length} of ${chosen.length} defences removed; ${unseenIn(judged)}`)
        await judgeEntries(copy, pool.port, next, (each) => file.add(each))
      }
    }
    await Promise.all(Array.from({ length: parallel }, work))
    const judged = file.of(chosen)
    const withoutEntry = THREATS.filter(({ id }) => !THREAT_ENTRIES.some((entry) => entry.id === id))
    return {
      bounds: [
        ...(only === '' ? [bound('threats and invariants without an entry', withoutEntry.length, '<=', 0)] : []),
        bound('removed defences that a test noticed', judged.filter(({ seen }) => seen).length, '=', chosen.length),
      ],
      series: { entries: judged },
      notes: [
        ...linesOf(judged),
        ...(only === '' ? withoutEntry : []).map(({ id, says }) => `no entry: ${id} ${says}`),
      ],
    }
  },
})

function isChosen({ id, defence, removal, test }: ThreatEntry, only: string): boolean {
  return only === id || [defence, removal.file, test.file, test.name].some((text) => text.includes(only))
}

function unseenIn(judged: readonly Judged[]): string {
  const unseen = judged.filter(({ seen }) => !seen).map(({ id, defence }) => `${id} ${defence}`)
  return unseen.length === 0 ? 'all noticed' : `not noticed: ${unseen.join(', ')}`
}

/** In the order of the threats. */
function linesOf(judged: readonly Judged[]): string[] {
  const places = new Map(THREATS.map(({ id }, place) => [id, place]))
  return judged
    .toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0))
    .map(({ id, defence, test, seen, says }) => {
      const result = seen ? 'seen failing' : 'NOT NOTICED'
      return `${id} · ${defence} · ${test.file}: ${test.name} · ${result}: ${says}`
    })
}

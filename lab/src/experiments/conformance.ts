import { fileURLToPath } from 'node:url'
import { usePoolServer } from '@bookreel/testbed/stacks/pool-server'
import { bound } from '../bound.ts'
import { DEFECTS } from '../conformance/defects.ts'
import { type ClaimRun, runClaims } from '../conformance/run-claims.ts'
import type { Defect } from '../defects/defect.ts'
import { SourceCopy } from '../defects/source-copy.ts'
import { experiment } from '../experiment.ts'

/** A service that does not start in time shows nothing about a defect. */
const MOST_TRIES = 3
const NOT_NOTICED = { failedClaim: null, message: null }

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

interface Judged {
  readonly defect: string
  readonly file: string
  /** The claim that failed first, and what it says. */
  readonly failedClaim: string | null
  readonly message: string | null
  readonly trouble: string | null
  readonly seconds: number
}

export const conformance = experiment({
  name: 'conformance',
  summary: 'Applies small defects to a copy of the source, one at a time, and checks that a conformance claim fails.',
  options: {
    defects: {
      description: `number of defects; fewer than all ${DEFECTS.length} are chosen evenly`,
      default: 80,
      atLeast: 1,
    },
    only: { description: 'only defects whose name contains this text', default: '' },
    controls: { description: 'number of runs without a defect, which must pass', default: 1, atLeast: 0 },
    parallel: { description: 'number of copies of the source that are tested at once', default: 2, atLeast: 1 },
    minutes: { description: 'maximum duration in minutes', default: 30, atLeast: 0.1 },
  },
  async run({ defects, only, controls, parallel, minutes }, progress) {
    const startedAtMs = performance.now()
    const chosen = chosenFrom(
      DEFECTS.filter(({ name }) => name.includes(only)),
      defects,
    )
    if (chosen.length === 0) throw new Error(`No defect has "${only}" in its name.`)
    await using pool = await usePoolServer()
    await using copies = new AsyncDisposableStack()
    const waiting: (Defect | 'control')[] = [...Array.from({ length: controls }, () => 'control' as const), ...chosen]
    const judged: Judged[] = []
    const controlRuns: ClaimRun[] = []
    const work = async (): Promise<void> => {
      const copy = copies.use(await SourceCopy.make(ROOT))
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        progress(`${judged.length} of ${chosen.length} defects checked; ${namesOf(unnoticed(judged))}`)
        if (next === 'control') controlRuns.push(await runClaims(copy.folder, pool.port, 'all'))
        else judged.push(await judge(copy, pool.port, next))
      }
    }
    await Promise.all(Array.from({ length: parallel }, work))
    const tookMinutes = (performance.now() - startedAtMs) / 60_000
    const missed = unnoticed(judged)
    return {
      bounds: [
        ...(controls === 0
          ? []
          : [
              bound('tests that fail without a defect', controlRuns.flatMap(({ failed }) => failed).length, '<=', 0),
              bound(
                'tests that ran without a defect',
                Math.min(...controlRuns.map(({ checked }) => checked)),
                '>=',
                100,
              ),
            ]),
        bound('defects that a claim noticed', judged.length - missed.length, '=', chosen.length),
        bound('duration', Math.round(10 * tookMinutes) / 10, '<=', minutes, 'min'),
      ],
      series: { defects: judged, controls: controlRuns },
      notes: [
        ...controlRuns.flatMap(({ failed, trouble }) => [
          ...failed.map(({ title, message }) => `${title}: ${message}`),
          ...(trouble ? [trouble] : []),
        ]),
        ...missed.map(
          ({ defect, file, trouble }) => `not noticed: ${defect} (${file})${trouble ? `: ${trouble}` : ''}`,
        ),
      ],
    }
  },
})

function chosenFrom(all: readonly Defect[], count: number): Defect[] {
  if (count >= all.length) return [...all]
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as Defect)
}

function unnoticed(judged: readonly Judged[]): Judged[] {
  return judged.filter(({ failedClaim }) => failedClaim === null)
}

function namesOf(missed: readonly Judged[]): string {
  return missed.length === 0 ? 'all noticed' : `not noticed: ${missed.map(({ defect }) => defect).join(', ')}`
}

/** A claim may also fail because the machine is busy, so it counts when it fails twice. */
async function judge(copy: SourceCopy, poolPort: number, defect: Defect): Promise<Judged> {
  const startedAtMs = performance.now()
  await using _applied = await copy.apply(defect)
  const about = { defect: defect.name, file: defect.file }
  const seconds = () => Math.round((performance.now() - startedAtMs) / 1_000)
  let trouble = 'no claim failed twice'
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const run = await runClaims(copy.folder, poolPort, 'until one fails')
    const [first] = run.failed
    if (first === undefined && run.checked > 0) return { ...about, ...NOT_NOTICED, trouble: null, seconds: seconds() }
    if (first === undefined) {
      trouble = run.trouble ?? trouble
      continue
    }
    const { failed } = await runClaims(copy.folder, poolPort, { claim: first.claim })
    const [again] = failed
    if (again) return { ...about, failedClaim: again.title, message: again.message, trouble: null, seconds: seconds() }
  }
  return { ...about, ...NOT_NOTICED, trouble, seconds: seconds() }
}

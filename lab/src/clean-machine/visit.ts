import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../experiment.ts'
import { CleanRoom } from './clean-room.ts'
import { bootstrapDebian, bringPackageSources, countDebianPackages } from './debian-root.ts'
import { runOnHost } from './host-command.ts'
import { PLAN } from './plan.ts'
import { PlanRunner, type StepResult } from './run-plan.ts'

/** Path of the clone in the new root. */
const CLONE = '/root/bookreel'
const ENDED_WITHIN_MS = 5_000

export interface Visit {
  readonly results: readonly StepResult[]
  readonly debootstrapPackages: number
  /** Command lines of processes that should have ended. */
  readonly left: { readonly afterReadme: string[]; readonly afterTests: string[]; readonly atEnd: string[] }
}

/** Makes a new Debian below `work`, clones the checkout into it, and runs the plan there. */
export async function visitCleanMachine(
  { work, root, checkout }: { work: string; root: string; checkout: string },
  progress: Progress,
  signal: AbortSignal,
): Promise<Visit> {
  const results: StepResult[] = []
  const hostStep = async (step: string, act: () => Promise<unknown>) => {
    progress(step)
    const startedAtMs = performance.now()
    await act()
    results.push({ step, from: 'machine', seconds: (performance.now() - startedAtMs) / 1_000, output: '' })
  }
  const onLine = (line: string) => progress(`debootstrap: ${line}`)
  await hostStep('debootstrap', () => bootstrapDebian(root, work, onLine, signal))
  const debootstrapPackages = await countDebianPackages(root)
  const variables = await bringPackageSources(root, checkout)
  const cloning = ['clone', '--quiet', '--no-local', checkout, join(root, CLONE)]
  await hostStep('git clone', () => runOnHost('git', cloning, { signal }))

  const room = await CleanRoom.open(root, variables)
  const left = { afterReadme: [] as string[], afterTests: [] as string[], atEnd: [] as string[] }
  try {
    const runner = new PlanRunner(room, CLONE, progress, signal)
    const isWhole = await runner.run(PLAN.filter(({ from }) => from !== 'tests'))
    left.afterReadme = await processesLeft(room)
    if (isWhole) await runner.run(PLAN.filter(({ from }) => from === 'tests'))
    left.afterTests = await processesLeft(room)
    results.push(...runner.results)
  } finally {
    await room[Symbol.asyncDispose]()
  }
  left.atEnd = room.processes()
  return { results, debootstrapPackages, left }
}

async function processesLeft(room: CleanRoom): Promise<string[]> {
  const untilMs = performance.now() + ENDED_WITHIN_MS
  while (room.processes().length > 0 && performance.now() < untilMs) await sleep(100)
  return room.processes()
}

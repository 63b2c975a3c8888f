import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bound, bound } from '../bound.ts'
import { SourceCopy } from '../defects/source-copy.ts'
import type { Progress } from '../experiment.ts'
import type { AttackBench } from './attack-bench.ts'
import { type AttackLimits, attackBounds } from './attack-bounds.ts'
import { measurePhase, type Phase } from './attack-phase.ts'
import { HonestCustomers } from './honest-customers.ts'
import { REMOVALS, type Removal } from './removals.ts'
import { runGenerators } from './run-generators.ts'

export interface Tried {
  readonly removal: string
  readonly generator: string
  readonly breaks: string
  /** The bound with the defence, and without it. */
  readonly kept: Bound | undefined
  readonly broken: Bound | undefined
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const USUAL_SECONDS = 20

/** Attacks with one generator, first the service as it is and then without the defence against it. */
export async function tryRemovals(
  bench: AttackBench,
  names: string,
  limits: AttackLimits,
  progress: Progress,
): Promise<Tried[]> {
  const chosen = REMOVALS.filter(({ defect }) => names === 'all' || names.split(',').includes(defect.name))
  if (chosen.length === 0)
    throw new Error(`no such removal; use ${REMOVALS.map(({ defect }) => defect.name).join(', ')}`)
  await using copy = await SourceCopy.make(ROOT)
  const main = join(copy.folder, 'service/src/main.ts')
  const tried: Tried[] = []
  for (const removal of chosen) {
    const { defect, generator, breaks } = removal
    progress(`${generator} with the defence`)
    const kept = await attackOnce(bench, main, removal)
    await using _applied = await copy.apply(defect)
    progress(`${generator}, ${defect.name}`)
    const broken = await attackOnce(bench, main, removal)
    const named = (phase: Phase): Bound | undefined =>
      attackBounds(kept, phase, sceneOf(bench, removal, 0), limits).find(({ name }) => name === breaks)
    tried.push({ removal: defect.name, generator, breaks, kept: named(kept), broken: named(broken) })
  }
  return tried
}

export function removalBounds(tried: readonly Tried[]): Bound[] {
  return tried.flatMap(({ removal, breaks, kept, broken }) => [
    bound(`with the defence (${removal}): ${breaks} (1 = met)`, Number(kept?.ok ?? Number.NaN), '=', 1),
    bound(`${removal}: ${breaks} (1 = met)`, Number(broken?.ok ?? Number.NaN), '=', 0),
  ])
}

function sceneOf(bench: AttackBench, { seconds = USUAL_SECONDS }: Removal, port: number) {
  return bench.scene({ port, seconds, load: 1, patience: 1 })
}

async function attackOnce(bench: AttackBench, main: string, removal: Removal): Promise<Phase> {
  await using api = await bench.startApi(main)
  await using customers = new HonestCustomers(bench.honestPlace(api))
  await customers.untilStreaming()
  const attack = runGenerators({ names: [removal.generator], scene: sceneOf(bench, removal, api.port) })
  return await measurePhase(api, customers, attack, () => {})
}

import type { Experiment } from './experiment.ts'
import { checker } from './experiments/checker.ts'
import { hash } from './experiments/hash.ts'
import { sim } from './experiments/sim.ts'

/** One line for each file in `experiments/`. */
export const allExperiments: readonly Experiment[] = [checker, hash, sim]

import type { Experiment } from './experiment.ts'
import { capture } from './experiments/capture.ts'
import { checker } from './experiments/checker.ts'
import { hash } from './experiments/hash.ts'
import { kill } from './experiments/kill.ts'
import { sim } from './experiments/sim.ts'
import { store } from './experiments/store.ts'

/** One line for each file in `experiments/`. */
export const allExperiments: readonly Experiment[] = [capture, checker, hash, kill, sim, store]

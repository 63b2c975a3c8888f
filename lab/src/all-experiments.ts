import type { Experiment } from './experiment.ts'
import { attack } from './experiments/attack.ts'
import { capture } from './experiments/capture.ts'
import { continuity } from './experiments/continuity.ts'
import { fanout } from './experiments/fanout.ts'
import { halves } from './experiments/halves.ts'
import { kill } from './experiments/kill.ts'
import { leases } from './experiments/leases.ts'
import { money } from './experiments/money.ts'
import { payments } from './experiments/payments.ts'
import { read } from './experiments/read.ts'
import { recorders } from './experiments/recorders.ts'
import { replay } from './experiments/replay.ts'
import { store } from './experiments/store.ts'

/** One line for each file in `experiments/`. */
export const allExperiments: readonly Experiment[] = [
  attack,
  capture,
  continuity,
  fanout,
  halves,
  kill,
  leases,
  money,
  payments,
  read,
  recorders,
  replay,
  store,
]

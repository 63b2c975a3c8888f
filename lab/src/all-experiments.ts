import type { Experiment } from './experiment.ts'
import { attack } from './experiments/attack.ts'
import { capture } from './experiments/capture.ts'
import { catalogue } from './experiments/catalogue.ts'
import { checker } from './experiments/checker.ts'
import { cleanMachine } from './experiments/clean-machine.ts'
import { consolePages } from './experiments/console.ts'
import { continuity } from './experiments/continuity.ts'
import { doubts } from './experiments/doubts.ts'
import { download } from './experiments/download.ts'
import { fanout } from './experiments/fanout.ts'
import { files } from './experiments/files.ts'
import { frames } from './experiments/frames.ts'
import { fuzz } from './experiments/fuzz.ts'
import { guesses } from './experiments/guesses.ts'
import { halves } from './experiments/halves.ts'
import { hash } from './experiments/hash.ts'
import { heatmap } from './experiments/heatmap.ts'
import { kalshi } from './experiments/kalshi.ts'
import { kill } from './experiments/kill.ts'
import { leases } from './experiments/leases.ts'
import { lookup } from './experiments/lookup.ts'
import { money } from './experiments/money.ts'
import { overload } from './experiments/overload.ts'
import { payments } from './experiments/payments.ts'
import { perps } from './experiments/perps.ts'
import { read } from './experiments/read.ts'
import { rebuild } from './experiments/rebuild.ts'
import { recorders } from './experiments/recorders.ts'
import { replay } from './experiments/replay.ts'
import { scale } from './experiments/scale.ts'
import { sim } from './experiments/sim.ts'
import { status } from './experiments/status.ts'
import { store } from './experiments/store.ts'
import { venueFrames } from './experiments/venue-frames.ts'
import { venues } from './experiments/venues.ts'

/** One line for each file in `experiments/`. */
export const allExperiments: readonly Experiment[] = [
  attack,
  capture,
  catalogue,
  checker,
  cleanMachine,
  consolePages,
  continuity,
  doubts,
  download,
  fanout,
  files,
  frames,
  fuzz,
  guesses,
  halves,
  hash,
  heatmap,
  kalshi,
  kill,
  leases,
  lookup,
  money,
  overload,
  payments,
  perps,
  read,
  rebuild,
  recorders,
  replay,
  scale,
  sim,
  status,
  store,
  venueFrames,
  venues,
]

import type { Generator } from './generator.ts'
import { callbackFlood } from './generators/callback-flood.ts'
import { crowd } from './generators/crowd.ts'
import { documentFlood } from './generators/document-flood.ts'
import { earlyFrames } from './generators/early-frames.ts'
import { expensiveQueries } from './generators/expensive-queries.ts'
import { exportHours } from './generators/exports.ts'
import { frameBursts } from './generators/frame-bursts.ts'
import { halfOpen } from './generators/half-open.ts'
import { keyGuessing } from './generators/key-guessing.ts'
import { replays } from './generators/replays.ts'
import { signInFlood } from './generators/sign-in-flood.ts'
import { slowBodies } from './generators/slow-bodies.ts'
import { slowHeaders } from './generators/slow-headers.ts'
import { slowReaders } from './generators/slow-readers.ts'
import { upgradeChurn } from './generators/upgrade-churn.ts'
import { upgradeFlood } from './generators/upgrade-flood.ts'

/** One line for each file in `generators/`. */
export const allGenerators: readonly Generator[] = [
  callbackFlood,
  crowd,
  documentFlood,
  earlyFrames,
  expensiveQueries,
  exportHours,
  frameBursts,
  halfOpen,
  keyGuessing,
  replays,
  signInFlood,
  slowBodies,
  slowHeaders,
  slowReaders,
  upgradeChurn,
  upgradeFlood,
]

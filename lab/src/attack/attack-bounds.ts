import { type Bound, bound } from '../bound.ts'
import { hundredths } from '../hundredths.ts'
import { percentile } from '../percentile.ts'
import { allGenerators } from './all-generators.ts'
import type { Phase } from './attack-phase.ts'
import type { Scene } from './scene.ts'
import { SERVER_ERROR } from './tally.ts'

export interface AttackLimits {
  /** p99 of live books under attack / while the same generators run against the sink. */
  readonly ratio: number
  readonly growthMb: number
  readonly loopMs: number
  /** Requests of honest customers that may be refused. */
  readonly refused: number
}

const BOUND_NAMES = {
  p99: 'honest customers: live book p99, attack / sink',
  refused: 'honest customers: requests refused',
  dropped: 'honest customers: streams dropped',
  errors: 'responses with status 500 or above, except 503',
  memory: 'memory growth of the API',
  loop: 'event-loop delay of the API, p99.9',
} as const

/** The bounds that every attack is held against, and those of the generators that took part. */
export function attackBounds(quiet: Phase, attack: Phase, scene: Scene, limits: AttackLimits): Bound[] {
  const { honest, told, loopDelay } = attack
  const errors = Object.values(told).reduce((sum, { counts }) => sum + (counts[SERVER_ERROR] ?? 0), 0)
  const own = allGenerators.flatMap((generator) => {
    const each = told[generator.name]
    return each === undefined ? [] : generator.bounds(each, scene)
  })
  return [
    bound(BOUND_NAMES.p99, hundredths(honest.p99Ms / quiet.honest.p99Ms), '<=', limits.ratio),
    bound(BOUND_NAMES.refused, sum(honest.refused), '<=', limits.refused),
    bound(BOUND_NAMES.dropped, honest.dropped, '<=', 0),
    bound(BOUND_NAMES.errors, errors, '<=', 0),
    bound(
      BOUND_NAMES.memory,
      Math.max(...attack.memoryMb) - percentile(quiet.memoryMb, 0.5),
      '<=',
      limits.growthMb,
      'MB',
    ),
    bound(BOUND_NAMES.loop, hundredths(loopDelay.p999Ms), '<=', limits.loopMs, 'ms'),
    ...own,
  ]
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

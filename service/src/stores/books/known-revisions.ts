import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/clock.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { Remembered } from '../platform/remembered.ts'
import type { Corrections, RangeRevision } from './corrections.ts'

type RevisedRange = { readonly marketId: string } & TimeRange

const MOST_RANGES = 20_000
/** For this long after a correction begins or ends, the revision before it may be returned. */
const ASKED_EVERY_MS = 1_000

/** Revisions of ranges in memory: they change with a correction only, and one query a second finds out whether there was one. */
export class KnownRevisions {
  readonly #corrections: Pick<Corrections, 'revisionIn' | 'state'>
  readonly #nowMs: Clock
  readonly #state: Remembered<string>
  readonly #known = new LRUCache<string, RangeRevision>({ max: MOST_RANGES })
  /** What PostgreSQL had when the known revisions were read. */
  #knownIn = ''

  constructor(corrections: Pick<Corrections, 'revisionIn' | 'state'>, nowMs: Clock) {
    this.#corrections = corrections
    this.#nowMs = nowMs
    const make = async () => ({ madeAtMs: nowMs(), value: await corrections.state() })
    this.#state = new Remembered(make, { freshForMs: ASKED_EVERY_MS, servesForMs: ASKED_EVERY_MS })
  }

  /** Undefined when it was not read since the last correction. */
  async find(range: RevisedRange): Promise<RangeRevision | undefined> {
    await this.#forgetOutdated()
    return this.#known.get(nameOf(range))
  }

  /** As PostgreSQL has it now. */
  async read(range: RevisedRange): Promise<RangeRevision> {
    const before = await this.#forgetOutdated()
    const revision = await this.#corrections.revisionIn(range)
    // What was read before a correction that became known meanwhile may be outdated.
    if (this.#knownIn === before) this.#known.set(nameOf(range), revision)
    return revision
  }

  async #forgetOutdated(): Promise<string> {
    const { value: state } = await this.#state.read(this.#nowMs())
    if (state !== this.#knownIn) this.#known.clear()
    this.#knownIn = state
    return state
  }
}

function nameOf({ marketId, fromMs, toMs }: RevisedRange): string {
  return `${marketId} ${fromMs} ${toMs}`
}

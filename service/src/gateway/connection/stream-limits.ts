import { LocalLimit } from '../../access/local-limit.ts'
import { tooMany } from '../../access/refusals.ts'
import type { RateRules } from '../../stores/accounts/rate-limits.ts'

/** Frames of one connection. */
export const FRAMES_PER_SECOND = 20
const CONNECTION_FRAMES = { rpm: FRAMES_PER_SECOND * 60, burst: 40 }
/** Frames of all connections of an account on this node. */
export const ACCOUNT_FRAMES_PER_SECOND = 60
const ACCOUNT_FRAMES = { rpm: ACCOUNT_FRAMES_PER_SECOND * 60, burst: 120 }
/** More invalid or too frequent frames than this close the connection. */
const MAX_BAD_FRAMES = 20
/** Questions to the databases about markets that are not in the catalogue; one unknown market is two questions. */
const LOOKUPS = { rpm: 1_200, burst: 400 }
/** A seek is free and starts new reads; the rows behind it may be paid already. */
const SEEKS = { rpm: 60, burst: 20 }

/** What the streams of an account may make this node do; one instance per gateway. */
export class StreamLimits {
  readonly #frames: LocalLimit
  readonly #lookups: LocalLimit
  readonly #seeks: LocalLimit

  constructor(nowMs = () => performance.now()) {
    this.#frames = new LocalLimit({ nowMs })
    this.#lookups = new LocalLimit({ nowMs })
    this.#seeks = new LocalLimit({ nowMs })
  }

  /** Throws `rate_limited`. */
  takeFrame(accountId: string): void {
    const message = `The connections of an account may send ${ACCOUNT_FRAMES_PER_SECOND} frames per second together.`
    take(this.#frames, accountId, ACCOUNT_FRAMES, message)
  }

  /** Throws `rate_limited`. */
  takeLookup(accountId: string): void {
    const message = 'Too many selectors of markets that are not live. Leave out markets that do not exist.'
    take(this.#lookups, accountId, LOOKUPS, message)
  }

  /** Throws `rate_limited`. */
  takeSeek(accountId: string): void {
    take(this.#seeks, accountId, SEEKS, `The replays of an account may seek ${SEEKS.rpm} times per minute.`)
  }
}

/** Counts the frames of one connection. */
export class FrameCount {
  readonly #limits: StreamLimits
  readonly #accountId: string
  readonly #frames = new LocalLimit({ nowMs: () => performance.now(), mostEntries: 1 })
  #badFrames = 0

  constructor(limits: StreamLimits, accountId: string) {
    this.#limits = limits
    this.#accountId = accountId
  }

  /** The connection is being closed, so its frames are ignored. */
  get isOver(): boolean {
    return this.#badFrames > MAX_BAD_FRAMES
  }

  /** Counts a frame before it is read. Throws `rate_limited`. */
  take(): void {
    take(this.#frames, '', CONNECTION_FRAMES, `A client may send ${FRAMES_PER_SECOND} frames per second.`)
    this.#limits.takeFrame(this.#accountId)
  }

  /** Counts a frame that was refused. */
  refused(): void {
    this.#badFrames++
  }
}

function take(limit: LocalLimit, name: string, rules: RateRules, message: string): void {
  const { isAllowed, retryAfterMs } = limit.take(name, rules)
  if (isAllowed) return
  const seconds = Math.ceil(retryAfterMs / 1_000)
  throw tooMany(`${message} Send the next one in ${seconds} s.`, seconds, { limit: rules.rpm })
}

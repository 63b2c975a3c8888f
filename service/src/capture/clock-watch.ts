import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ShardLeases } from '../bus/shard-leases.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { agree } from './start-time.ts'

export interface ClockWatchDeps {
  clock: SamplingClock
  leases: Pick<ShardLeases, 'serverTimeMs'>
  log: Logger
}

/** The sampling clock is wrong by more than this: it started with a wrong wall clock. */
const WRONG_FROM_MS = 5_000
const CHECK_EVERY_MS = 10_000
/** One check may meet a clock that is just being set. */
const CHECKS_IN_A_ROW = 3

/** The sampling clock is ahead of the machine's clock and of the NATS server's. */
export class ClockIsAhead extends Error {
  constructor(aheadMs: number) {
    const seconds = Math.round(aheadMs / 1_000)
    super(
      `This recorder started with a clock that was ${seconds} s ahead. It ends; start it again, and it records with the right time.`,
    )
    this.name = 'ClockIsAhead'
  }
}

/** Compares the sampling clock with two others, and corrects it when both say that it is wrong. */
export class ClockWatch {
  readonly #deps: ClockWatchDeps
  #wrongChecks = 0

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps
  }

  /** Rejects with `ClockIsAhead`: slots must not come twice, so only a new process can go back. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, log } = this.#deps
    while (!signal.aborted) {
      const busMs = await leases.serverTimeMs().catch((error: unknown) => {
        log.warn({ err: error }, 'reading the time of NATS failed')
      })
      if (busMs !== undefined) this.check(busMs)
      await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  check(busMs: number): void {
    const { clock, log } = this.#deps
    const wrongMs = clock.nowMs() - clock.wallMs()
    const isWrong = Math.abs(wrongMs) > WRONG_FROM_MS && agree(clock.wallMs(), busMs)
    this.#wrongChecks = isWrong ? this.#wrongChecks + 1 : 0
    if (this.#wrongChecks < CHECKS_IN_A_ROW) return
    if (wrongMs > 0) throw new ClockIsAhead(wrongMs)
    clock.moveAheadTo(clock.wallMs())
    this.#wrongChecks = 0
    log.warn({ behindMs: -wrongMs }, 'sampling clock was behind and moved ahead')
  }
}

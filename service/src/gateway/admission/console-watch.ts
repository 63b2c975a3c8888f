import type { ConsoleSlots, ConsoleStream } from '../../stores/accounts/console-slots.ts'
import { RedisUnavailable } from '../../stores/engines/redis-connection.ts'
import type { Ending } from '../connection/refuse-connection.ts'
import { sessionEnded, takenOver, unconfirmed } from './ended-access.ts'
import type { Guest } from './stream-admission.ts'

export interface ConsoleWatchDeps {
  readonly slots: Pick<ConsoleSlots, 'check'>
  readonly onTrouble: (error: unknown) => void
  /** Default: ten seconds. */
  readonly unconfirmedForMs?: number | undefined
}

interface Watched {
  readonly stream: ConsoleStream
  readonly onEnd: (ending: Ending) => void
  /** When Redis last said that the page may go on. */
  confirmedAtMs: number
  isChecking: boolean
}

const UNCONFIRMED_FOR_MS = 10_000

/** Ends the stream of a page when another page has taken it over, or when the session of the page has ended. */
export class ConsoleWatch {
  readonly #deps: ConsoleWatchDeps
  readonly #watched = new Map<string, Watched>()

  constructor(deps: ConsoleWatchDeps) {
    this.#deps = deps
  }

  /** Does nothing for a guest with a key. */
  add({ console: stream }: Guest, onEnd: (ending: Ending) => void): void {
    if (stream === undefined) return
    const watched = { stream, onEnd, confirmedAtMs: performance.now(), isChecking: false }
    this.#watched.set(stream.connectionId, watched)
    // It may have got no place, because a newer page has it.
    void this.#check(watched)
  }

  remove({ connectionId }: Guest): void {
    this.#watched.delete(connectionId)
  }

  /** Called several times a second. */
  look(): void {
    for (const each of this.#watched.values()) if (!each.isChecking) void this.#check(each)
  }

  async #check(watched: Watched): Promise<void> {
    watched.isChecking = true
    const askedAtMs = performance.now()
    try {
      const { isHeld, isSignedIn } = await this.#deps.slots.check(watched.stream)
      if (!isSignedIn) this.#end(watched, sessionEnded())
      else if (!isHeld) this.#end(watched, takenOver())
      else watched.confirmedAtMs = askedAtMs
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) this.#deps.onTrouble(error)
      const { unconfirmedForMs = UNCONFIRMED_FOR_MS } = this.#deps
      if (askedAtMs - watched.confirmedAtMs >= unconfirmedForMs) this.#end(watched, unconfirmed())
    }
    watched.isChecking = false
  }

  #end(watched: Watched, ending: Ending): void {
    if (this.#watched.delete(watched.stream.connectionId)) watched.onEnd(ending)
  }
}

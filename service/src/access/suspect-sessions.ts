import PQueue from 'p-queue'
import type { Sessions } from './sessions.ts'

const AT_ONCE = 8
/** Redis answers them within a fraction of a second. */
export const MAX_SUSPECT_SESSIONS = 1_000

/**
 * Looks up the sessions that come from addresses whose budget is used up. They can't be refused unseen, because signed-in
 * people may share the address of an attacker, so they wait for their turn.
 */
export class SuspectSessions {
  readonly #sessions: Pick<Sessions, 'find'>
  readonly #queue = new PQueue({ concurrency: AT_ONCE })

  constructor(sessions: Pick<Sessions, 'find'>) {
    this.#sessions = sessions
  }

  /** False also when too many wait. */
  async isOpen(token: string): Promise<boolean> {
    if (this.#queue.size >= MAX_SUSPECT_SESSIONS) return false
    return this.#queue.add(async () => (await this.#sessions.find(token)) !== undefined)
  }
}

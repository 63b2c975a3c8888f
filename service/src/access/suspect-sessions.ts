import { FairQueue } from '../stores/engines/fair-queue.ts'
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
  readonly #queue = new FairQueue({
    places: AT_ONCE,
    placesOfAccount: AT_ONCE,
    waiting: MAX_SUSPECT_SESSIONS,
    waitingOfAccount: MAX_SUSPECT_SESSIONS,
  })

  constructor(sessions: Pick<Sessions, 'find'>) {
    this.#sessions = sessions
  }

  /** False also when too many wait. */
  async isOpen(token: string): Promise<boolean> {
    const giveBack = await this.#queue.take('suspects').catch(() => undefined)
    if (giveBack === undefined) return false
    return (await this.#sessions.find(token).finally(giveBack)) !== undefined
  }
}

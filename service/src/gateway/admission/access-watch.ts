import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessControl } from '../../access/access-control.ts'
import { type AccessEnd, accessEnd } from '../../access/caller.ts'
import type { AccessChange } from '../../stores/accounts/access-changes.ts'
import type { AccessMarks } from '../../stores/accounts/access-marks.ts'
import { type KeyStanding, type Keys, standingWith } from '../../stores/accounts/keys.ts'
import type { Ending } from '../connection/refuse-connection.ts'
import { keyEnded, knownEnd, tierChanged, unconfirmed } from './ended-access.ts'
import type { Guest } from './stream-admission.ts'

export interface AccessWatchDeps {
  readonly accessControl: Pick<AccessControl, 'nowMs' | 'apply'>
  readonly keys: Pick<Keys, 'standings'>
  readonly marks: Pick<AccessMarks, 'marked'>
  readonly onTrouble: (error: unknown) => void
  /** How long a store is waited for; default: two seconds. */
  readonly answerWithinMs?: number
}

interface Watched {
  readonly guest: Guest
  readonly onEnd: (ending: Ending) => void
  accessEnd: AccessEnd | undefined
  /** When PostgreSQL was last asked and did not object. */
  checkedAtMs: number
  /** When PostgreSQL, or Redis in its place, was last asked and did not object. */
  confirmedAtMs: number
  isEnding: boolean
}

/** Changes arrive by notification; this finds those that no notification told of. */
const CHECK_EVERY_MS = 3_000
const ANSWER_WITHIN_MS = 2_000
/** A node that reaches neither PostgreSQL nor Redis ends its connections after this time. */
const UNCONFIRMED_FOR_MS = 60_000

/** Ends open connections when their key or tier ends, whichever store is unavailable. */
export class AccessWatch {
  readonly #deps: AccessWatchDeps
  readonly #watched = new Map<string, Watched>()
  #nextCheckMs = 0

  constructor(deps: AccessWatchDeps) {
    this.#deps = deps
  }

  add(guest: Guest, onEnd: (ending: Ending) => void): void {
    const { end, checkedAtMs } = guest.caller
    const watched = { guest, onEnd, accessEnd: end, checkedAtMs, confirmedAtMs: checkedAtMs, isEnding: false }
    this.#watched.set(guest.connectionId, watched)
  }

  remove({ connectionId }: Guest): void {
    this.#watched.delete(connectionId)
  }

  changed(change: AccessChange): void {
    const affected = [...this.#watched.values()].filter(({ guest: { caller } }) => {
      if (change.kind === 'anything') return true
      return change.kind === 'key' ? change.keyId === caller.keyId : change.accountId === caller.accountId
    })
    void this.#check(affected)
  }

  /** Called several times a second: one scan of all connections, so that no timer has to wait for months. */
  look(): void {
    const nowMs = this.#deps.accessControl.nowMs()
    const over = [...this.#watched.values()].filter((each) => !each.isEnding && isOver(each, nowMs))
    if (over.length > 0) void this.#finish(over)
    if (nowMs < this.#nextCheckMs) return
    this.#nextCheckMs = nowMs + CHECK_EVERY_MS
    void this.#check([...this.#watched.values()])
  }

  /** The end may have been moved, so PostgreSQL is asked; without an answer the known end applies. */
  async #finish(over: readonly Watched[]): Promise<void> {
    for (const each of over) each.isEnding = true
    await this.#check(over)
    for (const each of over) {
      each.isEnding = false
      if (each.accessEnd !== undefined && isOver(each, this.#deps.accessControl.nowMs())) {
        this.#end(each, knownEnd(each.guest.caller, each.accessEnd))
      }
    }
  }

  async #check(all: readonly Watched[]): Promise<void> {
    if (all.length === 0) return
    const { keys, marks, accessControl } = this.#deps
    const callers = new Map(all.map(({ guest: { caller } }) => [caller.keyId, caller]))
    const askedAtMs = accessControl.nowMs()
    const standings = await this.#answer(keys.standings([...callers.keys()]))
    if (standings !== undefined) {
      const byKey = new Map(standings.map((each) => [each.keyId, each]))
      for (const each of all) this.#judge(each, byKey.get(each.guest.caller.keyId), askedAtMs)
      return
    }
    const marksAskedAtMs = accessControl.nowMs()
    const marked = await this.#answer(marks.marked([...callers.values()]))
    if (marked === undefined) return this.#endUnconfirmed(all)
    const answeredAtMs = accessControl.nowMs()
    for (const each of all) {
      const { keyId, accountId } = each.guest.caller
      // Redis counted `changedAgoMs` at a moment between the question and the answer.
      const changedAgoMs = marked.changedAgoMs.get(accountId) ?? Infinity
      if (marked.revokedKeyIds.has(keyId)) this.#end(each, keyEnded())
      else if (marksAskedAtMs - changedAgoMs > each.checkedAtMs) {
        this.#end(each, unconfirmed())
        // A client that connects again must not be admitted from the cache.
        accessControl.apply({ kind: 'account', accountId })
      } else if (answeredAtMs - changedAgoMs <= each.checkedAtMs) each.confirmedAtMs = askedAtMs
      // Otherwise the answer was too slow to tell; the next check asks again.
    }
    this.#endUnconfirmed(all)
  }

  /** Only after the stores were asked: a process that was suspended for minutes can go on. */
  #endUnconfirmed(all: readonly Watched[]): void {
    const { accessControl } = this.#deps
    for (const each of all)
      if (accessControl.nowMs() - each.confirmedAtMs >= UNCONFIRMED_FOR_MS) this.#end(each, unconfirmed())
  }

  #judge(watched: Watched, ofKey: KeyStanding | undefined, askedAtMs: number): void {
    const { tier, secretNumber } = watched.guest.caller
    const standing = ofKey && standingWith(ofKey, secretNumber)
    if (!standing?.isValid) return this.#end(watched, keyEnded())
    if (standing.tier !== tier) return this.#end(watched, tierChanged(tier, standing.tier))
    watched.accessEnd = accessEnd(standing, askedAtMs)
    watched.checkedAtMs = askedAtMs
    watched.confirmedAtMs = askedAtMs
  }

  #end(watched: Watched, ending: Ending): void {
    if (this.#watched.delete(watched.guest.connectionId)) watched.onEnd(ending)
  }

  /** Undefined when the store is unavailable or slow. */
  async #answer<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
    const over = new AbortController()
    const { answerWithinMs = ANSWER_WITHIN_MS } = this.#deps
    const late = sleep(answerWithinMs, undefined, { signal: over.signal }).catch(() => undefined)
    const answer = asked.catch((error: unknown) => {
      this.#deps.onTrouble(error)
      return undefined
    })
    return Promise.race([answer, late]).finally(() => over.abort())
  }
}

function isOver({ accessEnd: end }: Watched, nowMs: number): boolean {
  return end !== undefined && end.atMs <= nowMs
}

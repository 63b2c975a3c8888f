import { randomUUID } from 'node:crypto'
import type { ServedBatch, ServedCalls, Usage } from '../stores/accounts/usage.ts'
import { isRefusal } from '../stores/engines/postgres-database.ts'
import type { Caller } from './caller.ts'

type Count = { -readonly [Name in keyof ServedCalls]: ServedCalls[Name] }

const GATHER_MS = 5_000
const DAY_MS = 86_400_000

/**
 * Counts calls that were served, in memory, and writes the counts some seconds later; no request waits for it. A
 * process that is killed takes the last seconds with it, and nothing is ever counted twice.
 */
export class UsageMeter {
  readonly #usage: Pick<Usage, 'add'>
  readonly #nowMs: () => number
  readonly #onTrouble: (error: unknown) => void
  /** Of the present day: key → endpoint → count. */
  #counts = new Map<string, Map<string, Count>>()
  #dayEndsMs = 0
  #day = ''
  /** Of days that ended since the last batch. */
  #former: Count[] = []
  /** Sent, and not known to have arrived; until it has, everything else waits. */
  #sent: ServedBatch | undefined
  #writing = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: { usage: Pick<Usage, 'add'>; nowMs: () => number; onTrouble: (error: unknown) => void }) {
    this.#usage = deps.usage
    this.#nowMs = deps.nowMs
    this.#onTrouble = deps.onTrouble
  }

  note({ accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>, endpoint: string): void {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#dayEndsMs) this.#beginDay(nowMs)
    let ofKey = this.#counts.get(keyId)
    if (ofKey === undefined) {
      ofKey = new Map()
      this.#counts.set(keyId, ofKey)
    }
    const count = ofKey.get(endpoint)
    if (count !== undefined) count.calls++
    else ofKey.set(endpoint, { accountId, keyId, endpoint, day: this.#day, calls: 1 })
    this.#timer ??= setTimeout(() => void this.write(), GATHER_MS).unref()
  }

  /** Now rather than soon, as before the end of the process. Never throws: what does not arrive is sent again. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      if (this.#sent !== undefined) await this.#send(this.#sent)
      const rows = this.#takeCounts()
      if (rows.length > 0) await this.#send({ id: randomUUID(), rows })
    } catch (error) {
      this.#onTrouble(error)
      this.#timer ??= setTimeout(() => void this.write(), GATHER_MS).unref()
    }
  }

  async #send(batch: ServedBatch): Promise<void> {
    this.#sent = batch
    try {
      await this.#usage.add(batch)
    } catch (error) {
      if (!isRefusal(error)) throw error
      // It would be refused for ever, and nothing after it would be counted.
      this.#onTrouble(error)
    }
    this.#sent = undefined
  }

  #takeCounts(): Count[] {
    const rows = [...this.#former, ...this.#present()]
    this.#former = []
    this.#counts = new Map()
    return rows
  }

  #present(): Count[] {
    return [...this.#counts.values()].flatMap((ofKey) => [...ofKey.values()])
  }

  #beginDay(nowMs: number): void {
    this.#former.push(...this.#present())
    this.#counts = new Map()
    const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS
    this.#dayEndsMs = startMs + DAY_MS
    this.#day = new Date(startMs).toISOString().slice(0, 10)
  }
}

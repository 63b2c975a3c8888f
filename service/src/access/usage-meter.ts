import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../domain/api-error.ts'
import type { CountedBatch, CountedCalls, Usage } from '../stores/accounts/usage.ts'
import { isRefusal } from '../stores/engines/postgres-database.ts'
import type { Caller } from './caller.ts'

type Count = { -readonly [Name in keyof CountedCalls]: CountedCalls[Name] }

const BATCH_DELAY_MS = 5_000
const DAY_MS = 86_400_000

/**
 * Counts served and refused calls in memory and writes the counts in batches; no request waits for a write. A killed process loses
 * the last seconds of counts. No call is counted twice.
 */
export class UsageMeter {
  readonly #usage: Pick<Usage, 'add'>
  readonly #nowMs: () => number
  readonly #onTrouble: (error: unknown) => void
  /** Counts of today: key → endpoint, and code of a refusal → count. */
  #counts = new Map<string, Map<string, Count>>()
  #dayEndsMs = 0
  #day = ''
  /** Counts of days that ended since the last batch. */
  #earlierCounts: Count[] = []
  /** A batch that was sent and not yet confirmed; it is sent again before the next batch. */
  #unconfirmed: CountedBatch | undefined
  #writing = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: { usage: Pick<Usage, 'add'>; nowMs: () => number; onTrouble: (error: unknown) => void }) {
    this.#usage = deps.usage
    this.#nowMs = deps.nowMs
    this.#onTrouble = deps.onTrouble
  }

  /** `code` is the error code of a refused call. */
  note({ accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>, endpoint: string, code?: ErrorCode): void {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#dayEndsMs) this.#beginDay(nowMs)
    let ofKey = this.#counts.get(keyId)
    if (ofKey === undefined) {
      ofKey = new Map()
      this.#counts.set(keyId, ofKey)
    }
    const name = code === undefined ? endpoint : `${endpoint} ${code}`
    const count = ofKey.get(name)
    if (count !== undefined) count.calls++
    else ofKey.set(name, { accountId, keyId, endpoint, day: this.#day, calls: 1, ...(code !== undefined && { code }) })
    this.#timer ??= setTimeout(() => void this.write(), BATCH_DELAY_MS).unref()
  }

  /** Writes immediately, for shutdown. Never throws; a failed batch is sent again. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      if (this.#unconfirmed !== undefined) await this.#send(this.#unconfirmed)
      const rows = this.#takeCounts()
      if (rows.length > 0) await this.#send({ id: randomUUID(), rows })
    } catch (error) {
      this.#onTrouble(error)
      this.#timer ??= setTimeout(() => void this.write(), BATCH_DELAY_MS).unref()
    }
  }

  async #send(batch: CountedBatch): Promise<void> {
    this.#unconfirmed = batch
    try {
      await this.#usage.add(batch)
    } catch (error) {
      if (!isRefusal(error)) throw error
      // A refused batch is dropped, because retries would block all later batches.
      this.#onTrouble(error)
    }
    this.#unconfirmed = undefined
  }

  #takeCounts(): Count[] {
    const rows = [...this.#earlierCounts, ...this.#todaysCounts()]
    this.#earlierCounts = []
    this.#counts = new Map()
    return rows
  }

  #todaysCounts(): Count[] {
    return [...this.#counts.values()].flatMap((ofKey) => [...ofKey.values()])
  }

  #beginDay(nowMs: number): void {
    this.#earlierCounts.push(...this.#todaysCounts())
    this.#counts = new Map()
    const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS
    this.#dayEndsMs = startMs + DAY_MS
    this.#day = new Date(startMs).toISOString().slice(0, 10)
  }
}

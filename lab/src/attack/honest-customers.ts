import { setTimeout as sleep } from 'node:timers/promises'
import type { LabAccount } from '../api-service.ts'
import { HttpClient } from '../http-client.ts'
import { percentile } from '../percentile.ts'
import { streamUrl } from '../stream/record-live.ts'
import { StreamFollower } from '../stream/stream-follower.ts'

export interface HonestPlace {
  readonly port: number
  readonly accounts: readonly LabAccount[]
  /** Long-lived markets. */
  readonly marketIds: readonly string[]
  readonly pastIds: readonly string[]
  readonly hourMs: number
}

/** Since the last report. */
export interface HonestReport {
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Requests without a status of 200, by reason. */
  readonly refused: Readonly<Record<string, number>>
  readonly dropped: number
  readonly frames: number
  /** Requests sent again because an idle connection was closed at that moment. */
  readonly retried: number
  /** p99 of each second. */
  readonly p99MsBySecond: readonly number[]
}

interface Sample {
  readonly atMs: number
  readonly tookMs: number
}

const POLLS_PER_SECOND = 30
const HISTORY_EVERY_MS = 2_000
const STREAMS_EACH = 1
const MARKETS_EACH = 5
const SILENT_MS = 30_000

/** Customers as they should be: each polls live books, follows a stream, and reads history and a file now and then. */
export class HonestCustomers implements AsyncDisposable {
  readonly #place: HonestPlace
  readonly #clients: readonly HttpClient[]
  readonly #streams: readonly StreamFollower[]
  readonly #over = new AbortController()
  readonly #running: Promise<unknown>[]
  #samples: Sample[] = []
  #refused = new Map<string, number>()
  #dropped = 0
  #frames = 0
  #retried = 0

  constructor(place: HonestPlace) {
    this.#place = place
    const addressOf = (index: number): string => `127.9.0.${index + 1}`
    this.#clients = place.accounts.map((_, index) => new HttpClient(8, addressOf(index)))
    this.#streams = place.accounts.flatMap(({ key }, index) =>
      Array.from({ length: STREAMS_EACH }, () => {
        const markets = place.marketIds.slice(0, MARKETS_EACH)
        const localAddress = addressOf(index)
        return new StreamFollower({ url: streamUrl(place.port), key, markets, silentMs: SILENT_MS, localAddress })
      }),
    )
    this.#running = [...this.#streams.map((stream) => stream.run()), this.#poll(), this.#readHistory()]
  }

  /** Waits until every stream has received a book. */
  async untilStreaming(): Promise<void> {
    while (this.#streams.some(({ frames }) => frames === 0)) await sleep(100)
  }

  report(): HonestReport {
    const tookMs = this.#samples.map((each) => each.tookMs)
    const bySecond = Map.groupBy(this.#samples, ({ atMs }) => Math.floor(atMs / 1_000))
    const seconds = [...bySecond].sort(([one], [other]) => one - other)
    const dropped = this.#streams.reduce((sum, { connections }) => sum + Math.max(0, connections - 1), 0)
    const frames = this.#streams.reduce((sum, each) => sum + each.frames, 0)
    const report = {
      requests: tookMs.length,
      p50Ms: Math.round(percentile(tookMs, 0.5) * 10) / 10,
      p99Ms: Math.round(percentile(tookMs, 0.99) * 10) / 10,
      refused: Object.fromEntries(this.#refused),
      dropped: dropped - this.#dropped,
      frames: frames - this.#frames,
      retried: this.#retried,
      p99MsBySecond: seconds.map(([, samples]) =>
        percentile(
          samples.map((each) => each.tookMs),
          0.99,
        ),
      ),
    }
    this.#samples = []
    this.#refused = new Map()
    this.#dropped = dropped
    this.#frames = frames
    this.#retried = 0
    return report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort()
    for (const stream of this.#streams) stream.stop()
    await Promise.all(this.#running)
    for (const client of this.#clients) client[Symbol.dispose]()
  }

  /** At fixed times, whether or not earlier answers have come, and measured from these times: waiting counts. */
  async #poll(): Promise<void> {
    const fromMs = performance.now()
    const asked = new Set<Promise<void>>()
    for (let index = 0; !this.#over.signal.aborted; index++) {
      const dueMs = fromMs + (index * 1_000) / POLLS_PER_SECOND
      await this.#pause(Math.max(0, dueMs - performance.now()))
      const { marketIds } = this.#place
      const one: Promise<void> = this.#ask(index, `/v1/markets/${marketIds[index % marketIds.length]}/orderbook`).then(
        () => {
          asked.delete(one)
          const nowMs = performance.now()
          this.#samples.push({ atMs: nowMs, tookMs: nowMs - Math.max(dueMs, fromMs) })
        },
      )
      asked.add(one)
    }
    await Promise.all(asked)
  }

  async #readHistory(): Promise<void> {
    const { pastIds, marketIds, hourMs } = this.#place
    const hour = new Date(hourMs).toISOString()
    for (let index = 0; !this.#over.signal.aborted; index++) {
      const past = pastIds[index % pastIds.length]
      const paths = [
        `/v1/markets/${marketIds[index % marketIds.length]}/snapshots?limit=100`,
        `/v1/markets/${past}/export?hour=${hour}`,
        `/v1/markets/${past}/bars?from=${hourMs}&to=${hourMs + 60_000}`,
      ]
      await this.#ask(index, paths[index % paths.length] ?? '')
      await this.#pause(HISTORY_EVERY_MS)
    }
  }

  async #ask(index: number, path: string): Promise<void> {
    const customer = index % this.#clients.length
    const headers = { 'x-api-key': this.#place.accounts[customer]?.key ?? '' }
    const { port } = this.#place
    const signal = this.#over.signal
    const asking = { port, path, headers, signal }
    const client = this.#clients[customer]
    // An idle connection may be closed by the server at the moment it is reused; every HTTP client then tries again.
    const again = (error: Error & { code?: string }) => {
      if (error.code !== 'ECONNRESET') throw error
      this.#retried++
      return client?.ask(asking)
    }
    const why = await client
      ?.ask(asking)
      .catch(again)
      .then((reply) => (reply?.status === 200 ? undefined : `status ${reply?.status}`), String)
    if (why !== undefined && !signal.aborted) this.#refused.set(why, (this.#refused.get(why) ?? 0) + 1)
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#over.signal }).catch(() => {})
  }
}

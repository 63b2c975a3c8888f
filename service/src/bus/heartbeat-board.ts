import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { type Clock, wallClock } from '../domain/clock.ts'
import { type Heartbeat, ratesBetween, type Totals } from '../domain/heartbeat.ts'
import { ALL_HEARTBEATS, type HeartbeatDeps, readHeartbeat, untilConnected } from './heartbeat.ts'

interface Received {
  readonly heartbeat: Heartbeat
  readonly receivedAtMs: number
  readonly rates: Totals
}

export type BoardDeps = Pick<HeartbeatDeps, 'connect' | 'onTrouble'>

const FORGOTTEN_AFTER_MS = 15_000
const BUS_ANSWERS_WITHIN_MS = 1_000

/** The newest heartbeat of every process; a process without one for `FORGOTTEN_AFTER_MS` is dropped. */
export class HeartbeatBoard {
  readonly #received = new Map<string, Received>()
  readonly #nowMs: Clock
  #connection: NatsConnection | undefined
  /** A flush in progress, which several callers share. */
  #flushing: Promise<boolean> | undefined

  constructor(nowMs: Clock = wallClock) {
    this.#nowMs = nowMs
  }

  /** Subscribes until the signal; waits for NATS first. */
  async run(deps: BoardDeps, signal: AbortSignal): Promise<void> {
    const connection = await untilConnected(deps, signal)
    if (connection === undefined) return
    this.#connection = connection
    const subscription = connection.subscribe(ALL_HEARTBEATS)
    const end = (): void => subscription.unsubscribe()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    for await (const { data } of subscription) this.#take(data, deps.onTrouble)
    this.#connection = undefined
    await connection.close()
  }

  current(nowMs: number): Heartbeat[] {
    return this.#recent(nowMs).map(({ heartbeat }) => heartbeat)
  }

  /** Counter increments per second of each process, between its last two heartbeats. */
  rates(nowMs: number): Totals[] {
    return this.#recent(nowMs).map(({ rates }) => rates)
  }

  /** Whether NATS answers within `BUS_ANSWERS_WITHIN_MS`. */
  async isBusUp(): Promise<boolean> {
    const connection = this.#connection
    if (connection === undefined) return false
    this.#flushing ??= connection
      .flush()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#flushing = undefined
      })
    const cancelTimer = new AbortController()
    const late = sleep(BUS_ANSWERS_WITHIN_MS, false, { signal: cancelTimer.signal }).catch(() => false)
    return Promise.race([this.#flushing, late]).finally(() => cancelTimer.abort())
  }

  #recent(nowMs: number): Received[] {
    for (const [process, { receivedAtMs }] of this.#received) {
      if (nowMs - receivedAtMs > FORGOTTEN_AFTER_MS) this.#received.delete(process)
    }
    return [...this.#received.values()]
  }

  #take(bytes: Uint8Array, onTrouble: (error: unknown) => void): void {
    try {
      const heartbeat = readHeartbeat(bytes)
      const before = this.#received.get(heartbeat.process)
      const rates = before === undefined ? {} : ratesBetween(before.heartbeat, heartbeat)
      this.#received.set(heartbeat.process, { heartbeat, receivedAtMs: this.#nowMs(), rates })
    } catch (error) {
      onTrouble(error)
    }
  }
}

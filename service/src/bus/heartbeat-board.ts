import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { type Heartbeat, ratesBetween, type Totals } from '../domain/heartbeat.ts'
import { ALL_PULSES, type HeartbeatDeps, readPulse, untilConnected } from './heartbeat.ts'

interface Heard {
  readonly pulse: Heartbeat
  readonly heardAtMs: number
  readonly rates: Totals
}

export type BoardDeps = Pick<HeartbeatDeps, 'connect' | 'onTrouble'>

const FORGOTTEN_AFTER_MS = 15_000
const BUS_ANSWERS_WITHIN_MS = 1_000

/** The newest pulse of every process. Who says nothing for a while is forgotten. */
export class HeartbeatBoard {
  readonly #heard = new Map<string, Heard>()
  #connection: NatsConnection | undefined
  /** A question to the bus that is still open; it is not asked twice. */
  #asked: Promise<boolean> | undefined

  /** Listens until the signal. Until the bus is there it hears nothing. */
  async run(deps: BoardDeps, signal: AbortSignal): Promise<void> {
    const connection = await untilConnected(deps, signal)
    if (connection === undefined) return
    this.#connection = connection
    const subscription = connection.subscribe(ALL_PULSES)
    const end = (): void => subscription.unsubscribe()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    for await (const { data } of subscription) this.#take(data, deps.onTrouble)
    this.#connection = undefined
    await connection.close()
  }

  pulses(nowMs: number): Heartbeat[] {
    return this.#current(nowMs).map(({ pulse }) => pulse)
  }

  /** Of the counters, a second, for each process between its last two pulses. */
  rates(nowMs: number): Totals[] {
    return this.#current(nowMs).map(({ rates }) => rates)
  }

  /** Whether the bus answers, and soon. */
  async isBusUp(): Promise<boolean> {
    const connection = this.#connection
    if (connection === undefined) return false
    this.#asked ??= connection
      .flush()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#asked = undefined
      })
    const enough = new AbortController()
    const late = sleep(BUS_ANSWERS_WITHIN_MS, false, { signal: enough.signal }).catch(() => false)
    return Promise.race([this.#asked, late]).finally(() => enough.abort())
  }

  #current(nowMs: number): Heard[] {
    for (const [process, { heardAtMs }] of this.#heard) {
      if (nowMs - heardAtMs > FORGOTTEN_AFTER_MS) this.#heard.delete(process)
    }
    return [...this.#heard.values()]
  }

  #take(bytes: Uint8Array, onTrouble: (error: unknown) => void): void {
    try {
      const pulse = readPulse(bytes)
      const before = this.#heard.get(pulse.process)
      const rates = before === undefined ? {} : ratesBetween(before.pulse, pulse)
      this.#heard.set(pulse.process, { pulse, heardAtMs: Date.now(), rates })
    } catch (error) {
      onTrouble(error)
    }
  }
}

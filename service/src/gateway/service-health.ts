import type { Stores } from '../endpoints/stores.ts'
import type { Connection } from './connection/connection.ts'

/** Sends a frame on the `status` channel when the health of the service changes. */
export class ServiceHealth {
  readonly #health: Stores['health']
  #status: string | undefined

  constructor(health: Stores['health']) {
    this.#health = health
  }

  look(nowMs: number, connections: Iterable<Connection>): void {
    const { status } = this.#health.read(nowMs)
    const before = this.#status
    this.#status = status
    if (before === undefined || before === status) return
    const frame = JSON.stringify({ channel: 'status', type: 'health', status, at: nowMs, sent_at: nowMs })
    for (const connection of connections) if (connection.wantsStatus) connection.writer.send(frame)
  }
}

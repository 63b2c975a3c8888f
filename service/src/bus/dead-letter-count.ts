import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { DeadLetterFigures } from '../domain/dead-letters.ts'
import { DEAD_STREAM } from './subjects.ts'

/** Counts the messages that the archive could not store. Connects when it is first asked. */
export class DeadLetterCount {
  readonly #connect: () => Promise<NatsConnection>
  #manager: Promise<{ connection: NatsConnection; manager: JetStreamManager }> | undefined

  constructor(connect: () => Promise<NatsConnection>) {
    this.#connect = connect
  }

  /** Rejects while NATS is unavailable. */
  async read(): Promise<DeadLetterFigures> {
    this.#manager ??= this.#open().catch((error: unknown) => {
      this.#manager = undefined
      throw error
    })
    const { manager } = await this.#manager
    const { messages, first_ts } = (await manager.streams.info(DEAD_STREAM)).state
    return { count: messages, ...(messages > 0 && { oldestAtMs: Date.parse(first_ts) }) }
  }

  async close(): Promise<void> {
    const opened = await this.#manager?.catch(() => undefined)
    await opened?.connection.close()
  }

  async #open() {
    const connection = await this.#connect()
    // The check would need a right that the API has no other use for.
    return { connection, manager: await jetstreamManager(connection, { checkAPI: false }) }
  }
}

import {
  type Consumer,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream'
import { listRowStreams } from './row-streams.ts'
import { ARCHIVE_CONSUMER, shardIn } from './subjects.ts'

/** One message; the server delivers it to nobody else until it is acknowledged, given back, or not held in time. */
export interface Delivery {
  /** Its stream and its sequence there. */
  readonly id: string
  readonly bytes: Uint8Array
  readonly shard: string
  readonly sequence: number
  readonly isRedelivered: boolean
  /** Restarts the server's acknowledgement timeout. */
  hold(): void
  /** True when the server has confirmed the acknowledgement. */
  acknowledge(): Promise<boolean>
  /** Has it delivered again after this time. */
  giveBack(afterMs: number): void
}

export interface ArchiveFeed {
  /** Messages that were received and not returned yet; they must be held too. */
  readonly waiting: readonly Delivery[]
  /** The messages of the next second, or what was given instead, at most `maxMessages`; rejects when NATS is unavailable. */
  next(maxMessages: number): Promise<Delivery[]>
  /** The messages that were requested already, at the end. */
  rest(): Promise<Delivery[]>
}

const GATHER_MS = 1_000
/** The shortest that a server accepts. */
const FETCH_FOR_MS = 1_000
const CONFIRM_MS = 2_000
/** A change of settings makes new streams. */
const LOOK_FOR_STREAMS_EVERY_MS = 5_000

/** Reads the durable consumers of all streams of rows; several archives may share them. */
export async function openArchiveFeed(jetstream: JetStreamClient, gatherMs = GATHER_MS): Promise<ArchiveFeed> {
  const feed = new RowStreamsFeed(jetstream, await jetstream.jetstreamManager(false), gatherMs)
  await feed.lookForStreams()
  if (feed.streamCount === 0) throw new Error('NATS has no streams of rows. Run `bookreel-server prepare` first.')
  return feed
}

interface Asked {
  readonly maxMessages: number
  readonly enough: () => void
}

/** One request at a time waits at each stream. A busy stream is asked again until the caller has enough. */
class RowStreamsFeed implements ArchiveFeed {
  readonly #jetstream: JetStreamClient
  readonly #manager: JetStreamManager
  readonly #gatherMs: number
  readonly #consumers = new Map<string, Consumer>()
  readonly #fetching = new Map<string, Promise<void>>()
  readonly #waiting: Delivery[] = []
  #asked: Asked | undefined
  #failure: unknown
  #lookAtMs = 0

  constructor(jetstream: JetStreamClient, manager: JetStreamManager, gatherMs: number) {
    this.#jetstream = jetstream
    this.#manager = manager
    this.#gatherMs = gatherMs
  }

  get streamCount(): number {
    return this.#consumers.size
  }

  get waiting(): readonly Delivery[] {
    return this.#waiting
  }

  async next(maxMessages: number): Promise<Delivery[]> {
    if (performance.now() >= this.#lookAtMs) await this.lookForStreams()
    this.#failure = undefined
    const enough = Promise.withResolvers<void>()
    const timer = setTimeout(enough.resolve, this.#gatherMs)
    this.#asked = { maxMessages, enough: enough.resolve }
    this.#arrived()
    for (const [name, consumer] of this.#consumers) this.#startFetching(name, consumer)
    await enough.promise
    clearTimeout(timer)
    this.#asked = undefined
    // Messages that arrived before the connection broke are stored; without any, the error is reported.
    if (this.#waiting.length === 0 && this.#failure !== undefined) throw this.#failure
    return this.#waiting.splice(0, maxMessages)
  }

  async rest(): Promise<Delivery[]> {
    await Promise.all(this.#fetching.values())
    return this.#waiting.splice(0)
  }

  async lookForStreams(): Promise<void> {
    const names = await listRowStreams(this.#manager)
    for (const name of this.#consumers.keys()) if (!names.includes(name)) this.#consumers.delete(name)
    for (const name of names) {
      if (this.#consumers.has(name)) continue
      const consumer = await this.#jetstream.consumers.get(name, ARCHIVE_CONSUMER).catch(ifNotReady)
      if (consumer !== undefined) this.#consumers.set(name, consumer)
    }
    this.#lookAtMs = performance.now() + LOOK_FOR_STREAMS_EVERY_MS
  }

  #startFetching(name: string, consumer: Consumer): void {
    if (this.#fetching.has(name)) return
    const fetching = this.#fetch(name, consumer).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
  }

  async #fetch(name: string, consumer: Consumer): Promise<void> {
    try {
      while (this.#asked !== undefined && this.#waiting.length < this.#asked.maxMessages) {
        const most = Math.ceil(this.#asked.maxMessages / this.#consumers.size)
        let received = 0
        for await (const message of await consumer.fetch({ max_messages: most, expires: FETCH_FOR_MS })) {
          this.#waiting.push(deliveryOf(name, message))
          this.#arrived()
          received += 1
        }
        if (received < most) return
      }
    } catch (error) {
      this.#failure = error
      if (this.#waiting.length === 0) this.#asked?.enough()
    }
  }

  #arrived(): void {
    if (this.#asked !== undefined && this.#waiting.length >= this.#asked.maxMessages) this.#asked.enough()
  }
}

/** Another process is about to create the consumer. */
function ifNotReady(error: unknown): undefined {
  if (!(error instanceof JetStreamApiError)) throw error
}

function deliveryOf(stream: string, message: JsMsg): Delivery {
  return {
    id: `${stream}:${message.seq}`,
    bytes: message.data,
    shard: shardIn(message.subject),
    sequence: message.seq,
    isRedelivered: message.redelivered,
    hold: () => ignoringErrors(() => message.working()),
    async acknowledge() {
      try {
        return await message.ackAck({ timeout: CONFIRM_MS })
      } catch {
        return false
      }
    },
    giveBack: (afterMs) => ignoringErrors(() => message.nak(afterMs)),
  }
}

/** These throw on a closed connection; the server then delivers the message again by itself, a little later. */
function ignoringErrors(send: () => void): void {
  try {
    send()
  } catch {}
}

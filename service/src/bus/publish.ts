import { JetStreamApiCodes, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream'
import { messageId } from './batch.ts'
import type { EncodedBatch } from './batch-writer.ts'
import { type Fence, FenceBroken } from './fence.ts'
import { fenceSubject, rowsSubject } from './subjects.ts'
import { machineTimer, type Timer } from './timer.ts'

export interface PublishLimits {
  /** A batch that was never sent is given up at this age. */
  queueMs: number
  queueBytes: number
  /** A batch without an acknowledgement may be in the stream; it is sent again under its message id until this age, which must be below `DEDUP_WINDOW_MS`. */
  retryMs: number
  /** Timeout of one acknowledgement. */
  answerMs: number
  /** Pause before a retry. */
  pauseMs: number
  /** How long a closing publisher drains its queue. */
  finishMs: number
}

export const PUBLISH_LIMITS: PublishLimits = {
  queueMs: 30_000,
  queueBytes: 256 * 1024 ** 2,
  retryMs: 90_000,
  answerMs: 2_000,
  pauseMs: 100,
  finishMs: 5_000,
}

/** Why the last attempt to publish failed. */
export type PublishFailure = 'unreachable' | 'stream_full' | 'refused'

export interface GivenUp {
  batch: EncodedBatch
  cause: PublishFailure | 'queue_full' | 'too_old' | 'closed' | 'fenced'
  /** True when it was sent without an acknowledgement: its rows may still be stored. */
  isUnconfirmed: boolean
}

export interface PublisherOptions {
  jetstream: Pick<JetStreamClient, 'publish'>
  shard: string
  fence?: Fence
  /** Default: that of the machine. */
  timer?: Timer | undefined
  /** While it returns false, batches stay queued as while NATS is unavailable. */
  maySend?: () => boolean
  limits?: Partial<PublishLimits>
  onAcknowledged?: (batch: EncodedBatch, answer: { sequence: number; isDuplicate: boolean; latencyMs: number }) => void
  /** Called once, in order, for every batch that is no longer sent; capture turns its rows into gaps. */
  onGivenUp: (givenUp: GivenUp) => void
}

interface Waiting {
  batch: EncodedBatch
  queuedAtMs: number
  sentAtMs?: number
}

/**
 * Publishes the batches of one shard in order, one at a time, so that a retry never lands behind a later batch.
 * Shards publish in parallel.
 */
export class Publisher {
  readonly #options: PublisherOptions
  readonly #limits: PublishLimits
  readonly #timer: Timer
  #queue: Waiting[] = []
  #queuedBytes = 0
  #failure: PublishFailure | undefined
  #wake: () => void = () => {}
  #isStopped = false

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#limits = { ...PUBLISH_LIMITS, ...options.limits }
    this.#timer = options.timer ?? machineTimer
  }

  get queuedBytes(): number {
    return this.#queuedBytes
  }

  get queuedCount(): number {
    return this.#queue.length
  }

  get failure(): PublishFailure | undefined {
    return this.#failure
  }

  /** Queues the batch. When the queue is full, the oldest unsent batch is given up. */
  publish(batch: EncodedBatch): void {
    if (this.#isStopped) {
      this.#options.onGivenUp({ batch, cause: 'closed', isUnconfirmed: false })
      return
    }
    this.#queue.push({ batch, queuedAtMs: this.#timer.monotonicMs() })
    this.#queuedBytes += batch.bytes.length
    while (this.#queuedBytes > this.#limits.queueBytes && this.#giveUpFirstUnsent('queue_full'));
    this.#wake()
  }

  /** Publishes until the signal, then drains for `finishMs` at most. Rejects with `FenceBroken` when another process took the shard. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        if (this.#queue.length > 0) await this.#step()
        else await this.#untilQueued(signal)
      }
      const deadlineMs = this.#timer.monotonicMs() + this.#limits.finishMs
      while (this.#queue.length > 0 && this.#timer.monotonicMs() < deadlineMs) await this.#step()
      this.#stop('closed')
    } catch (error) {
      this.#stop(error instanceof FenceBroken ? 'fenced' : 'closed')
      throw error
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  #untilQueued(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (signal.aborted || this.#queue.length > 0) resolve()
    })
  }

  /** One attempt at the oldest batch. */
  async #step(): Promise<void> {
    this.#giveUpOld()
    const [head] = this.#queue
    if (head === undefined) return
    if (this.#options.maySend?.() === false) {
      this.#failure = 'unreachable'
      await this.#timer.sleep(this.#limits.pauseMs)
      return
    }
    const startedAtMs = this.#timer.monotonicMs()
    head.sentAtMs ??= startedAtMs
    try {
      const answer = await this.#send(head.batch)
      this.#failure = undefined
      this.#remove(head)
      const latencyMs = this.#timer.monotonicMs() - startedAtMs
      this.#options.onAcknowledged?.(head.batch, { sequence: answer.seq, isDuplicate: answer.duplicate, latencyMs })
    } catch (error) {
      this.#failure = this.#failureIn(error)
      // A refused batch is not in the stream, unless an earlier attempt had no answer.
      if (this.#failure !== 'unreachable' && head.sentAtMs === startedAtMs) delete head.sentAtMs
      await this.#timer.sleep(this.#limits.pauseMs)
    }
  }

  #send(batch: EncodedBatch) {
    const { jetstream, shard, fence } = this.#options
    return jetstream.publish(rowsSubject(shard), batch.bytes, {
      msgID: messageId(batch),
      timeout: this.#limits.answerMs,
      ...(fence && {
        expect: { lastSubjectSequence: fence.sequence, lastSubjectSequenceSubject: fenceSubject(shard) },
      }),
    })
  }

  #failureIn(error: unknown): PublishFailure {
    if (!(error instanceof JetStreamApiError)) return 'unreachable'
    if (error.code === JetStreamApiCodes.StreamWrongLastSequence) throw new FenceBroken(this.#options.shard)
    return error.message.includes('maximum bytes') ? 'stream_full' : 'refused'
  }

  #giveUpOld(): void {
    const nowMs = this.#timer.monotonicMs()
    for (const waiting of this.#queue.slice()) {
      const isOld =
        waiting.sentAtMs === undefined
          ? nowMs - waiting.queuedAtMs > this.#limits.queueMs
          : nowMs - waiting.sentAtMs > this.#limits.retryMs
      if (isOld) this.#giveUp(waiting, this.#failure ?? 'too_old')
    }
  }

  #giveUpFirstUnsent(cause: GivenUp['cause']): boolean {
    const unsent = this.#queue.find(({ sentAtMs }) => sentAtMs === undefined)
    if (unsent !== undefined) this.#giveUp(unsent, cause)
    return unsent !== undefined
  }

  #giveUp(waiting: Waiting, cause: GivenUp['cause']): void {
    this.#remove(waiting)
    this.#options.onGivenUp({ batch: waiting.batch, cause, isUnconfirmed: waiting.sentAtMs !== undefined })
  }

  #remove(waiting: Waiting): void {
    this.#queue = this.#queue.filter((other) => other !== waiting)
    this.#queuedBytes -= waiting.batch.bytes.length
  }

  #stop(cause: GivenUp['cause']): void {
    this.#isStopped = true
    for (const waiting of this.#queue.slice()) this.#giveUp(waiting, cause)
  }
}

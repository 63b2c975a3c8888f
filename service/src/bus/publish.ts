import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiCodes, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream'
import { messageId } from './batch.ts'
import type { EncodedBatch } from './batch-writer.ts'
import { type Fence, FenceBroken } from './fence.ts'
import { fenceSubject, rowsSubject } from './subjects.ts'

export interface PublishLimits {
  /** What was never sent is given up at this age. */
  queueMs: number
  queueBytes: number
  /** What was sent and not answered may be in the stream; it is sent again under its id until this age, which must be below the server's window for duplicates. */
  retryMs: number
  answerMs: number
  pauseMs: number
  /** How long a closing publisher goes on with what it holds. */
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

/** Why nothing gets through at the moment. */
export type PublishTrouble = 'unreachable' | 'stream_full' | 'refused'

export interface GivenUp {
  batch: EncodedBatch
  cause: PublishTrouble | 'queue_full' | 'too_old' | 'closed' | 'fenced'
  /** True when it was sent without an answer: its rows may still appear. */
  isInDoubt: boolean
}

export interface PublisherOptions {
  jetstream: JetStreamClient
  shard: number
  fence?: Fence
  /** While it says no, batches wait here as they do while the bus is away. */
  maySend?: () => boolean
  limits?: Partial<PublishLimits>
  onAcknowledged?: (batch: EncodedBatch, answer: { sequence: number; isDuplicate: boolean; latencyMs: number }) => void
  /** Called once for every batch that is not sent any more, in order; capture makes gaps of them. */
  onGivenUp: (givenUp: GivenUp) => void
}

interface Waiting {
  batch: EncodedBatch
  queuedAtMs: number
  sentAtMs?: number
}

/**
 * Carries one shard's batches to the stream, in order: one is on its way at a time, so that a repeat never lands
 * behind its successor. Shards run side by side.
 */
export class Publisher {
  readonly #options: PublisherOptions
  readonly #limits: PublishLimits
  #queue: Waiting[] = []
  #queuedBytes = 0
  #trouble: PublishTrouble | undefined
  #wake: () => void = () => {}
  #isStopped = false

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#limits = { ...PUBLISH_LIMITS, ...options.limits }
  }

  get queuedBytes(): number {
    return this.#queuedBytes
  }

  get queuedCount(): number {
    return this.#queue.length
  }

  get trouble(): PublishTrouble | undefined {
    return this.#trouble
  }

  /** Never waits. When the queue is full, the oldest that was not sent is given up. */
  publish(batch: EncodedBatch): void {
    if (this.#isStopped) {
      this.#options.onGivenUp({ batch, cause: 'closed', isInDoubt: false })
      return
    }
    this.#queue.push({ batch, queuedAtMs: performance.now() })
    this.#queuedBytes += batch.bytes.length
    while (this.#queuedBytes > this.#limits.queueBytes && this.#giveUpFirstUnsent('queue_full'));
    this.#wake()
  }

  /** Works until the signal, then for `finishMs` at most. Rejects with `FenceBroken` when the shard was taken. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        if (this.#queue.length > 0) await this.#step()
        else await this.#somethingToDo(signal)
      }
      const deadlineMs = performance.now() + this.#limits.finishMs
      while (this.#queue.length > 0 && performance.now() < deadlineMs) await this.#step()
      this.#stop('closed')
    } catch (error) {
      this.#stop(error instanceof FenceBroken ? 'fenced' : 'closed')
      throw error
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  #somethingToDo(signal: AbortSignal): Promise<void> {
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
      this.#trouble = 'unreachable'
      await sleep(this.#limits.pauseMs)
      return
    }
    const startedAtMs = performance.now()
    head.sentAtMs ??= startedAtMs
    try {
      const answer = await this.#send(head.batch)
      this.#trouble = undefined
      this.#remove(head)
      const latencyMs = performance.now() - startedAtMs
      this.#options.onAcknowledged?.(head.batch, { sequence: answer.seq, isDuplicate: answer.duplicate, latencyMs })
    } catch (error) {
      this.#trouble = this.#troubleIn(error)
      // Refused means that it is not in the stream, unless an earlier attempt went unanswered.
      if (this.#trouble !== 'unreachable' && head.sentAtMs === startedAtMs) delete head.sentAtMs
      await sleep(this.#limits.pauseMs)
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

  #troubleIn(error: unknown): PublishTrouble {
    if (!(error instanceof JetStreamApiError)) return 'unreachable'
    if (error.code === JetStreamApiCodes.StreamWrongLastSequence) throw new FenceBroken(this.#options.shard)
    return error.message.includes('maximum bytes') ? 'stream_full' : 'refused'
  }

  #giveUpOld(): void {
    const nowMs = performance.now()
    for (const waiting of this.#queue.slice()) {
      const isOld =
        waiting.sentAtMs === undefined
          ? nowMs - waiting.queuedAtMs > this.#limits.queueMs
          : nowMs - waiting.sentAtMs > this.#limits.retryMs
      if (isOld) this.#giveUp(waiting, this.#trouble ?? 'too_old')
    }
  }

  #giveUpFirstUnsent(cause: GivenUp['cause']): boolean {
    const unsent = this.#queue.find(({ sentAtMs }) => sentAtMs === undefined)
    if (unsent !== undefined) this.#giveUp(unsent, cause)
    return unsent !== undefined
  }

  #giveUp(waiting: Waiting, cause: GivenUp['cause']): void {
    this.#remove(waiting)
    this.#options.onGivenUp({ batch: waiting.batch, cause, isInDoubt: waiting.sentAtMs !== undefined })
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

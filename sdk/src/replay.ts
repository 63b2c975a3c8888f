import { BookreelError } from './bookreel-error.ts'
import { Connector, type StreamEndpoint } from './connector.ts'
import { deferred } from './deferred.ts'
import { EventQueue } from './event-queue.ts'
import type { Moment } from './generated/api-types.ts'
import type { Ack, ReplayEnded, ServerFrame } from './generated/stream-types.ts'
import { ReceivedFrames } from './received-frames.ts'
import { msOf, type ReplayPlan, type ReplayRequest, replayCommand } from './replay-request.ts'
import { TEMPORARY_ERRORS } from './stream.ts'
import { isData, type StreamEvent } from './stream-events.ts'

/** Queue lengths at which the server is told to pause and to resume, so that a slow reader loses nothing. */
const PAUSE_ABOVE = 4_000
const RESUME_BELOW = 1_000
/** After a reconnect the replay overlaps by more than the longest slot (3 s); duplicates are dropped. */
const OVERLAP_MS = 5_000
const MAX_FAILURES = 5

/**
 * A replay of recorded data, read by one `for await` loop. It resumes after a broken connection. It ends with
 * `replay_ended` when it is complete or after `stop()`; when credits run out it throws instead.
 */
export class Replay implements AsyncIterable<StreamEvent> {
  readonly #request: ReplayRequest
  readonly #connector: Connector
  readonly #queue = new EventQueue()
  readonly #received = new ReceivedFrames()
  readonly #plan = deferred<ReplayPlan>()
  #hasReader = false
  #tier = ''
  #speed: number | 'max'
  /** Position at which to resume after a reconnect. */
  #atMs: number
  /** Start of the replay on this connection; an earlier position needs a new connection. */
  #startMs = 0
  #replayCommandId: number | undefined
  #seekCommandId: number | undefined
  #failures = 0
  #isStopped = false
  #pausedByUser = false
  #pausedByReader = false
  #isPaused = false

  constructor(endpoint: StreamEndpoint, request: ReplayRequest, signal?: AbortSignal) {
    this.#request = request
    this.#speed = request.speed ?? 1
    this.#atMs = msOf(request.from)
    this.#plan.promise.catch(() => {})
    const listener = {
      receive: (frame: ServerFrame) => this.#receive(frame),
      lost: ({ code, message }: BookreelError) =>
        this.#queue.push({ type: 'disconnected', code, message, at: Date.now() }),
      failed: (error: BookreelError) => this.#finish({ error }),
    }
    this.#connector = new Connector(endpoint, listener, signal, () => this.#finish())
    if (signal?.aborted === true) this.#finish()
  }

  /** Resolves after the loop has started. */
  get plan(): Promise<ReplayPlan> {
    return this.#plan.promise
  }

  /** Time of the newest received event. */
  get at(): Date {
    return new Date(this.#atMs)
  }

  pause(): void {
    this.#pausedByUser = true
    this.#sendPause()
  }

  resume(): void {
    this.#pausedByUser = false
    this.#sendPause()
  }

  setSpeed(speed: number | 'max'): void {
    this.#speed = speed
    if (this.#connector.isUp) this.#connector.send({ op: 'replay.speed', speed })
  }

  /** Continues from another time of the range, earlier or later; unread events are dropped. */
  seek(to: Moment): void {
    const toMs = msOf(to)
    if (toMs < msOf(this.#request.from) || toMs >= msOf(this.#request.to)) {
      throw new RangeError('The seek time must be within the range of the replay (from included, to not included).')
    }
    this.#atMs = toMs
    this.#queue.clear()
    this.#received.clear()
    if (!this.#connector.isUp) return
    if (toMs < this.#startMs) this.#connector.restart()
    else this.#seekCommandId = this.#connector.send({ op: 'replay.seek', to: toMs })
  }

  /** Requests the end, which arrives as `replay_ended`. */
  stop(): void {
    this.#isStopped = true
    if (this.#connector.isUp) this.#connector.send({ op: 'replay.stop' })
    else this.#finish()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#hasReader) throw new TypeError('A replay can be read by one loop only; create another one.')
    this.#hasReader = true
    const running = this.#connector.run()
    try {
      for (let event = await this.#queue.take(); event !== undefined; event = await this.#queue.take()) {
        if (this.#pausedByReader && this.#queue.length < RESUME_BELOW) {
          this.#pausedByReader = false
          this.#sendPause()
        }
        yield event
      }
    } finally {
      this.#finish()
      await running
    }
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.#tier = frame.tier
        return this.#begin()
      case 'ack':
        return this.#acknowledged(frame)
      case 'error':
        return this.#refused(frame.id, new BookreelError(frame.code, frame.message))
      case 'closing':
      case 'pong':
        return
      case 'replay_ended':
        return this.#ended(frame)
      default:
        // Until the seek is acknowledged, frames still belong to the old position.
        if (this.#seekCommandId === undefined) this.#pass(frame)
    }
  }

  #begin(): void {
    const hasEvents = this.#received.newestMs() !== undefined
    this.#startMs = hasEvents ? Math.max(msOf(this.#request.from), this.#atMs - OVERLAP_MS) : this.#atMs
    this.#seekCommandId = undefined
    this.#isPaused = false
    const request = { ...this.#request, from: this.#startMs, speed: this.#speed }
    this.#replayCommandId = this.#connector.send(replayCommand(request))
  }

  #pass(event: StreamEvent): void {
    if (event.type === 'gap' && !this.#received.admitGap(event)) return
    if (isData(event)) {
      if (!this.#received.admit(event).isNew) return
      this.#atMs = Math.max(this.#atMs, event.captured_at)
      this.#failures = 0
    }
    this.#queue.push(event)
    if (this.#queue.length > PAUSE_ABOVE && !this.#pausedByReader) {
      this.#pausedByReader = true
      this.#sendPause()
    }
  }

  #acknowledged({ id, accepted = [], rejected = [], replay }: Ack): void {
    if (id === this.#seekCommandId) this.#seekCommandId = undefined
    if (id !== this.#replayCommandId) return
    this.#replayCommandId = undefined
    const [first] = rejected
    if (accepted.length === 0 && first !== undefined) {
      return this.#finish({ error: new BookreelError(first.reason, first.message, { details: { rejected } }) })
    }
    const away_ms = this.#connector.begun()
    const details = { accepted, rejected, at: Date.now() }
    if (away_ms === undefined) this.#queue.push({ type: 'connected', tier: this.#tier, ...details })
    else this.#queue.push({ type: 'reconnected', away_ms, ...details })
    if (replay !== undefined) this.#plan.resolve(replay)
    // The server sends no `replay_ended` when the replay has no markets.
    if (replay?.markets === 0)
      return this.#ended({ type: 'replay_ended', reason: 'complete', at: replay.to, rows: 0, credits: 0 })
    this.#sendPause()
    if (this.#isStopped) this.#connector.send({ op: 'replay.stop' })
  }

  #refused(id: unknown, error: BookreelError): void {
    if (id === undefined || (id !== this.#replayCommandId && id !== this.#seekCommandId)) return
    if (TEMPORARY_ERRORS.has(error.code)) this.#connector.restart()
    else this.#finish({ error })
  }

  #ended(frame: ReplayEnded): void {
    const { reason } = frame
    if (reason === 'failed' && this.#failures++ < MAX_FAILURES) return this.#connector.restart()
    if (reason === 'failed' || reason === 'out_of_credits') {
      const [code, why] = reason === 'failed' ? ['internal', 'The service failed'] : [reason, 'Credits ran out']
      return this.#finish({
        error: new BookreelError(code, `${why} before the replay was complete.`, { details: { ...frame } }),
      })
    }
    this.#queue.push(frame)
    this.#finish()
  }

  #sendPause(): void {
    const shouldPause = this.#pausedByUser || this.#pausedByReader
    if (shouldPause === this.#isPaused || !this.#connector.isUp) return
    this.#isPaused = shouldPause
    this.#connector.send({ op: shouldPause ? 'replay.pause' : 'replay.resume' })
  }

  #finish(failure: { error?: BookreelError } = {}): void {
    this.#queue.end(failure)
    this.#plan.reject(failure.error ?? new BookreelError('network', 'The replay ended before it started.'))
    this.#connector.close()
  }
}

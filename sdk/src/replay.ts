import { BookreelError } from './bookreel-error.ts'
import { Connector, type StreamPlace } from './connector.ts'
import { EventQueue } from './event-queue.ts'
import type { Moment } from './generated/api-types.ts'
import type { Ack, ReplayEnded, ServerFrame } from './generated/stream-types.ts'
import { msOf, type ReplayPlan, type ReplayRequest, replayCommand } from './replay-request.ts'
import { Seen } from './seen.ts'
import { PASSING_TROUBLES } from './stream.ts'
import { isData, type StreamEvent } from './stream-events.ts'

/** Above the first the server is asked to pause, below the second to go on: nothing is ever left out of a replay. */
const FULL = 4_000
const EMPTY = 1_000
/** Slots are of up to three seconds: so much is asked for again after a break, and dropped. */
const OVERLAP_MS = 5_000
const MOST_FAILURES = 5

/**
 * The past as if it were live, for one `for await`. After a break it goes on where it was. It ends with
 * `replay_ended` when everything was told or `stop()` was called; when credits run out it throws instead.
 */
export class Replay implements AsyncIterable<StreamEvent> {
  readonly #request: ReplayRequest
  readonly #connector: Connector
  readonly #queue = new EventQueue()
  readonly #seen = new Seen()
  readonly #plan = Promise.withResolvers<ReplayPlan>()
  #isRead = false
  #tier = ''
  #speed: number | 'max'
  /** Where it goes on after a break. */
  #atMs: number
  /** Where the replay of this connection began: it can't be sent back further. */
  #beganAtMs = 0
  #askedId: number | undefined
  #seekId: number | undefined
  #failures = 0
  #isStopped = false
  #pausedByUser = false
  #pausedByReader = false
  #isPaused = false

  constructor(place: StreamPlace, request: ReplayRequest, signal?: AbortSignal) {
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
    this.#connector = new Connector(place, listener, signal, () => this.#finish())
    if (signal?.aborted === true) this.#finish()
  }

  /** Known once the loop has begun. */
  get plan(): Promise<ReplayPlan> {
    return this.#plan.promise
  }

  /** The moment up to which events have arrived. */
  get at(): Date {
    return new Date(this.#atMs)
  }

  pause(): void {
    this.#pausedByUser = true
    this.#tellPause()
  }

  resume(): void {
    this.#pausedByUser = false
    this.#tellPause()
  }

  setSpeed(speed: number | 'max'): void {
    this.#speed = speed
    if (this.#connector.isUp) this.#connector.send({ op: 'replay.speed', speed })
  }

  /** Goes on from another moment of its range, earlier or later; what has not been read yet is dropped. */
  seek(to: Moment): void {
    const toMs = msOf(to)
    if (toMs < msOf(this.#request.from) || toMs >= msOf(this.#request.to)) {
      throw new RangeError('A replay can be sent to moments of its range only.')
    }
    this.#atMs = toMs
    this.#queue.clear()
    this.#seen.clear()
    if (!this.#connector.isUp) return
    if (toMs < this.#beganAtMs) this.#connector.restart()
    else this.#seekId = this.#connector.send({ op: 'replay.seek', to: toMs })
  }

  /** Asks for the end, which comes as `replay_ended`. */
  stop(): void {
    this.#isStopped = true
    if (this.#connector.isUp) this.#connector.send({ op: 'replay.stop' })
    else this.#finish()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#isRead) throw new TypeError('A replay is read by one loop only.')
    this.#isRead = true
    const running = this.#connector.run()
    try {
      for (let event = await this.#queue.take(); event !== undefined; event = await this.#queue.take()) {
        if (this.#pausedByReader && this.#queue.length < EMPTY) {
          this.#pausedByReader = false
          this.#tellPause()
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
        return this.#answered(frame)
      case 'error':
        return this.#refused(frame.id, new BookreelError(frame.code, frame.message))
      case 'closing':
      case 'pong':
        return
      case 'replay_ended':
        return this.#ended(frame)
      default:
        // Between the wish to be elsewhere and the answer, frames are still of the former place.
        if (this.#seekId === undefined) this.#pass(frame)
    }
  }

  #begin(): void {
    const hasSome = this.#seen.newestMs() !== undefined
    this.#beganAtMs = hasSome ? Math.max(msOf(this.#request.from), this.#atMs - OVERLAP_MS) : this.#atMs
    this.#seekId = undefined
    this.#isPaused = false
    const request = { ...this.#request, from: this.#beganAtMs, speed: this.#speed }
    this.#askedId = this.#connector.send(replayCommand(request))
  }

  #pass(event: StreamEvent): void {
    if (event.type === 'gap' && !this.#seen.admitGap(event)) return
    if (isData(event)) {
      if (!this.#seen.admit(event).isNew) return
      this.#atMs = Math.max(this.#atMs, event.captured_at)
      this.#failures = 0
    }
    this.#queue.push(event)
    if (this.#queue.length > FULL && !this.#pausedByReader) {
      this.#pausedByReader = true
      this.#tellPause()
    }
  }

  #answered({ id, accepted = [], rejected = [], replay }: Ack): void {
    if (id === this.#seekId) this.#seekId = undefined
    if (id !== this.#askedId) return
    this.#askedId = undefined
    const [first] = rejected
    if (accepted.length === 0 && first !== undefined) {
      return this.#finish({ error: new BookreelError(first.reason, first.message, { details: { rejected } }) })
    }
    const away_ms = this.#connector.begun()
    const words = { accepted, rejected, at: Date.now() }
    if (away_ms === undefined) this.#queue.push({ type: 'connected', tier: this.#tier, ...words })
    else this.#queue.push({ type: 'reconnected', away_ms, ...words })
    if (replay !== undefined) this.#plan.resolve(replay)
    // Where there is nothing to tell, nothing ends either.
    if (replay?.markets === 0)
      return this.#ended({ type: 'replay_ended', reason: 'complete', at: replay.to, rows: 0, credits: 0 })
    this.#tellPause()
    if (this.#isStopped) this.#connector.send({ op: 'replay.stop' })
  }

  #refused(id: unknown, error: BookreelError): void {
    if (id === undefined || (id !== this.#askedId && id !== this.#seekId)) return
    if (PASSING_TROUBLES.has(error.code)) this.#connector.restart()
    else this.#finish({ error })
  }

  #ended(frame: ReplayEnded): void {
    const { reason } = frame
    if (reason === 'failed' && this.#failures++ < MOST_FAILURES) return this.#connector.restart()
    if (reason === 'failed' || reason === 'out_of_credits') {
      const [code, why] =
        reason === 'failed' ? ['internal', 'The service could not go on'] : [reason, 'Credits ran out']
      return this.#finish({
        error: new BookreelError(code, `${why} before the replay was over.`, { details: { ...frame } }),
      })
    }
    this.#queue.push(frame)
    this.#finish()
  }

  #tellPause(): void {
    const shouldPause = this.#pausedByUser || this.#pausedByReader
    if (shouldPause === this.#isPaused || !this.#connector.isUp) return
    this.#isPaused = shouldPause
    this.#connector.send({ op: shouldPause ? 'replay.pause' : 'replay.resume' })
  }

  #finish(failure: { error?: BookreelError } = {}): void {
    this.#queue.end(failure)
    this.#plan.reject(failure.error ?? new BookreelError('network', 'The replay ended before it began.'))
    this.#connector.close()
  }
}

import { Bookreel, BookreelError, type Replay } from '@bookreel/sdk'
import { PageTickets } from '../stream/page-tickets.ts'
import type { ReplaySession } from './player.ts'
import type { ReplayFeed } from './replay-feed.ts'
import type { ReplayFailure } from './replay-messages.ts'
import type { Speed } from './speeds.ts'

export interface ServiceReplayRequest {
  readonly market: string
  readonly intervalMs: number
  readonly firstSlot: number
  /** Included. */
  readonly lastSlot: number
  readonly speed: Speed
}

export interface ServiceReplayEvents {
  readonly onSlot: (slot: number) => void
  /** Without a failure the replay is complete. */
  readonly onEnd: (failure: ReplayFailure | undefined) => void
}

const ROWS_PER_CREDIT = 1_000
const TOKENS = 2

/** A replay that the service sends over a connection of its own; its rows are charged as they are sent. */
export class ServiceReplay implements ReplaySession {
  readonly #request: ServiceReplayRequest
  readonly #feed: ReplayFeed
  readonly #events: ServiceReplayEvents
  readonly #closed = new AbortController()
  /** Each is charged once. */
  readonly #slots = new Set<number>()
  #replay: Replay | undefined
  #isPaused = false
  #seekMs: number | undefined
  #speed: Speed
  #planCredits: number | undefined

  constructor(request: ServiceReplayRequest, feed: ReplayFeed, events: ServiceReplayEvents) {
    this.#request = request
    this.#feed = feed
    this.#events = events
    this.#speed = request.speed
    feed.restart(request.firstSlot)
    void this.#run()
  }

  /** What it may still cost; undefined until the service has told the whole price. */
  get creditsLeft(): number | undefined {
    if (this.#planCredits === undefined) return undefined
    return Math.max(0, this.#planCredits - Math.ceil((TOKENS * this.#slots.size) / ROWS_PER_CREDIT))
  }

  pause(): void {
    this.#isPaused = true
    this.#replay?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#replay?.resume()
  }

  setSpeed(speed: Speed): void {
    this.#speed = speed
    this.#replay?.setSpeed(speed)
  }

  seek(slot: number): void {
    this.#feed.restart(slot)
    const toMs = slot * this.#request.intervalMs
    if (this.#replay === undefined) this.#seekMs = toMs
    else this.#replay.seek(toMs)
  }

  stop(): void {
    this.#closed.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    try {
      const replay = await this.#open()
      if (signal.aborted) return
      for await (const event of replay) {
        const slot = this.#feed.apply(event)
        if (slot === undefined) continue
        this.#slots.add(slot)
        this.#events.onSlot(slot)
      }
      if (signal.aborted) return
      this.#feed.complete(this.#request.lastSlot)
      this.#events.onEnd(undefined)
    } catch (error) {
      if (!signal.aborted) this.#events.onEnd(failureOf(error))
    }
  }

  async #open(): Promise<Replay> {
    const { market, intervalMs, firstSlot, lastSlot } = this.#request
    const tickets = new PageTickets({ ms: Date.now() })
    const { streamUrl } = await tickets.first()
    const client = new Bookreel({ baseUrl: location.origin, streamUrl, ticket: () => tickets.next() })
    const options = { mode: 'delta' } as const
    const what = { selectors: [{ market }], channels: ['book'], options } as const
    const range = { from: firstSlot * intervalMs, to: (lastSlot + 1) * intervalMs }
    const { signal } = this.#closed
    const replay = client.replay({ ...what, ...range, speed: this.#speed }, { signal })
    this.#replay = replay
    replay.plan.then(
      ({ credits }) => {
        this.#planCredits = credits
      },
      () => {},
    )
    // Commands of before the ticket arrived.
    if (this.#isPaused) replay.pause()
    if (this.#seekMs !== undefined) replay.seek(this.#seekMs)
    return replay
  }
}

function failureOf(error: unknown): ReplayFailure {
  if (error instanceof BookreelError) return { code: error.code, message: error.message }
  return { code: 'internal', message: String(error) }
}

import type { FrameCache } from './frame-cache.ts'
import type { Speed } from './speeds.ts'

export type PlayerState = 'paused' | 'playing' | 'waiting'

/** A replay of the service. What it sends is put into the cache, and told to the player. */
export interface ReplaySession {
  pause(): void
  resume(): void
  setSpeed(speed: Speed): void
  seek(slot: number): void
  stop(): void
}

export interface PlayerOptions {
  readonly cache: FrameCache
  readonly intervalMs: number
  /** The range; its last slot is included. */
  readonly firstSlot: number
  readonly lastSlot: number
  readonly nowMs: () => number
  /** Opens a replay from a slot to the end of the range. */
  readonly open: (fromSlot: number, speed: Speed) => ReplaySession
}

interface Anchor {
  readonly slot: number
  readonly atMs: number
}

/** Without a frame for this long, and the time between two of them, the page says that it waits. */
const LATE_AFTER_MS = 1_500

/**
 * Moves the playhead. Known slots are played from the cache by the clock of the page, and cost nothing. All others
 * come from a replay of the service, which has its own clock: the playhead is at the last frame that arrived, never
 * ahead of it. Only in a gap, in which no frame can arrive, the page counts the time itself.
 */
export class Player {
  readonly #options: PlayerOptions
  #state: PlayerState = 'paused'
  #slot: number
  #speed: Speed = 1
  #anchor: Anchor
  #session: { readonly replay: ReplaySession; readonly firstSlot: number; newestSlot: number } | undefined
  /** Whether frames of the replay move the playhead. */
  #isStreaming = false
  #heardAtMs = 0

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#slot = options.firstSlot
    this.#anchor = { slot: options.firstSlot, atMs: 0 }
  }

  get state(): PlayerState {
    return this.#state
  }

  get slot(): number {
    return this.#slot
  }

  /** The first slot that playing from here has to fetch; undefined when everything up to the end is known. */
  get firstUnknown(): number | undefined {
    const slot = this.#options.cache.firstUnknown(this.#slot)
    return slot > this.#options.lastSlot ? undefined : slot
  }

  /** Whether the replay that is open can send this slot; rows that it has sent are free. */
  covers(slot: number): boolean {
    return this.#session !== undefined && slot >= this.#session.firstSlot
  }

  play(): void {
    if (this.#state !== 'paused') return
    if (this.#slot >= this.#options.lastSlot) return
    this.#state = 'playing'
    this.#continue()
  }

  pause(): void {
    this.#state = 'paused'
    this.#isStreaming = false
    this.#session?.replay.pause()
  }

  setSpeed(speed: Speed): void {
    this.#speed = speed
    this.#anchorHere()
    this.#session?.replay.setSpeed(speed)
  }

  /** Playing goes on from there if that costs no more than was said; otherwise it pauses. */
  moveTo(slot: number): void {
    const { firstSlot, lastSlot } = this.#options
    this.#slot = Math.min(lastSlot, Math.max(firstSlot, slot))
    if (this.#state === 'paused') return
    const next = this.firstUnknown
    if (this.#slot === lastSlot || (next !== undefined && !this.covers(next))) return this.pause()
    this.#state = 'playing'
    if (this.#isStreaming) this.#session?.replay.pause()
    this.#isStreaming = false
    this.#continue()
  }

  /** A frame of the replay is in the cache. */
  received(slot: number): void {
    if (this.#session !== undefined) this.#session.newestSlot = slot
    this.#heardAtMs = this.#options.nowMs()
    if (!this.#isStreaming || slot < this.#slot) return
    this.#slot = Math.min(slot, this.#options.lastSlot)
    this.#state = 'playing'
    this.#anchorHere()
    if (this.#slot === this.#options.lastSlot) this.pause()
  }

  /** The replay has ended: it was complete, or it failed. Another one is opened only when somebody presses Play. */
  ended(isComplete: boolean): void {
    this.#session = undefined
    const wasStreaming = this.#isStreaming
    this.#isStreaming = false
    // Slots after the last frame have no row.
    if (isComplete && wasStreaming) this.#slot = this.#options.lastSlot
    if (wasStreaming || !isComplete) this.#state = 'paused'
  }

  /** Call it some twenty times a second. */
  tick(): void {
    if (this.#state === 'paused') return
    if (!this.#isStreaming) return this.#playKnown()
    if (this.#options.cache.isMissing(this.#slot + 1))
      return this.#advance(this.#options.cache.firstUnknown(this.#slot + 1) - 1)
    const betweenMs = this.#speed === 'max' ? 0 : this.#options.intervalMs / this.#speed
    if (this.#options.nowMs() - this.#heardAtMs > LATE_AFTER_MS + betweenMs) this.#state = 'waiting'
  }

  close(): void {
    this.#session?.replay.stop()
    this.#session = undefined
  }

  #playKnown(): void {
    const { cache, lastSlot } = this.#options
    const known = Math.min(lastSlot, cache.firstUnknown(this.#slot) - 1)
    this.#advance(known)
    if (this.#slot >= lastSlot) this.pause()
    else if (this.#slot >= known) this.#continue()
  }

  /** As far as the clock says, and not beyond what is known. */
  #advance(knownSlot: number): void {
    const { nowMs, intervalMs } = this.#options
    const { slot, atMs } = this.#anchor
    const due = this.#speed === 'max' ? knownSlot : slot + Math.floor(((nowMs() - atMs) * this.#speed) / intervalMs)
    this.#slot = Math.max(this.#slot, Math.min(due, knownSlot))
    this.#heardAtMs = nowMs()
  }

  #continue(): void {
    this.#anchorHere()
    const next = this.firstUnknown
    if (next === undefined || next > this.#slot + 1) return
    this.#stream(next)
  }

  #stream(fromSlot: number): void {
    const { nowMs, open } = this.#options
    this.#isStreaming = true
    this.#heardAtMs = nowMs()
    const session = this.#session
    if (session === undefined || fromSlot < session.firstSlot) {
      session?.replay.stop()
      const replay = open(fromSlot, this.#speed)
      this.#session = { replay, firstSlot: fromSlot, newestSlot: fromSlot - 1 }
      return
    }
    if (!this.#isNext(session.newestSlot, fromSlot)) {
      session.newestSlot = fromSlot - 1
      session.replay.seek(fromSlot)
    }
    session.replay.resume()
  }

  /** Whether the replay goes on with this slot by itself: all between have no row. */
  #isNext(newestSlot: number, slot: number): boolean {
    if (newestSlot >= slot) return false
    for (let each = newestSlot + 1; each < slot; each++) if (!this.#options.cache.isMissing(each)) return false
    return true
  }

  #anchorHere(): void {
    this.#anchor = { slot: this.#slot, atMs: this.#options.nowMs() }
  }
}

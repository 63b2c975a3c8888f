import type { ContextFrame, GapFrame, PerpTradeFrame, SkippedFrame, TradeFrame } from './generated/stream-types.ts'
import type { DataFrame } from './stream-events.ts'

/** Frames of which several share a slot, and one may arrive late. */
type ToldFrame = TradeFrame | PerpTradeFrame | ContextFrame

interface Track {
  seq: number
  capturedAt: number
  /** Difference of `seq` between two frames when nothing is missing. */
  step: number
  /** The last slot that a `gap` or `skipped` event explained. */
  explainedTo: number
  lastSuspect: string
  /** Identities of the newest trades or contexts. */
  told: Set<string>
}

const MAX_TRACKS = 50_000
const MAX_TOLD = 1_000
/** The service resumes markets whose last frame is younger than an hour. */
const RESUMABLE_MS = 3_500_000

/** A market without frames for longer than this has ended or is dark. */
const CURRENT_MS = 30_000

/** Tracks the received frames of each channel and market, to drop duplicates and detect missing slots. */
export class ReceivedFrames {
  readonly #tracks = new Map<string, Track>()

  clear(): void {
    this.#tracks.clear()
  }

  /** Whether the frame is new, and the unexplained missing slots before it. */
  admit(frame: DataFrame): { isNew: boolean; skipped?: SkippedFrame } {
    const key = `${frame.channel} ${frame.market}`
    const track = this.#tracks.get(key)
    if (track === undefined) {
      this.#keep(key, frame, { seq: 0, capturedAt: 0, step: 1, explainedTo: 0, lastSuspect: '', told: new Set() })
      return { isNew: true }
    }
    if (isTold(frame)) return { isNew: this.#admitTold(key, frame, track) }
    if (frame.seq <= track.seq) return { isNew: false }
    const skipped = frame.channel === 'book' ? missingBefore(frame, track) : undefined
    if (frame.prev_seq === track.seq && track.explainedTo <= track.seq) track.step = frame.seq - track.seq
    this.#keep(key, frame, track)
    return skipped === undefined ? { isNew: true } : { isNew: true, skipped }
  }

  admitGap(gap: GapFrame): boolean {
    const track = this.#tracks.get(`${gap.channel} ${gap.market}`)
    if (track === undefined) return true
    if (gap.kind === 'suspect') {
      const range = `${gap.from_seq}-${gap.to_seq}`
      const isNew = track.lastSuspect !== range
      track.lastSuspect = range
      return isNew
    }
    if (gap.to_seq <= Math.max(track.seq, track.explainedTo)) return false
    track.explainedTo = gap.to_seq
    return true
  }

  /** Records the slots that the server reports as skipped. */
  admitSkipped({ channel, market, to_seq }: SkippedFrame): void {
    const track = this.#tracks.get(`${channel} ${market}`)
    if (track !== undefined) track.explainedTo = Math.max(track.explainedTo, to_seq)
  }

  /**
   * The slot after which each market resumes. One before the last, so that the last frame is repeated and the
   * `prev_seq` of the next frame proves that nothing is missing.
   */
  since(nowMs: number): Record<string, number> {
    const since: Record<string, number> = {}
    for (const channel of ['context', 'trade', 'bbo', 'book']) {
      for (const [key, { seq, capturedAt }] of this.#tracks) {
        const [ofChannel, market = ''] = key.split(' ')
        if (ofChannel === channel && nowMs - capturedAt < RESUMABLE_MS) since[market] = Math.max(0, seq - 1)
      }
    }
    return since
  }

  /** Capture time of the newest frame. */
  newestMs(): number | undefined {
    let newest: number | undefined
    for (const { capturedAt } of this.#tracks.values()) newest = Math.max(newest ?? 0, capturedAt)
    return newest
  }

  /** A time from which every market that is still active can resume. */
  oldestCurrentMs(newestMs: number): number {
    let oldest = newestMs
    for (const { capturedAt } of this.#tracks.values()) {
      if (newestMs - capturedAt < CURRENT_MS) oldest = Math.min(oldest, capturedAt)
    }
    return oldest
  }

  #admitTold(key: string, frame: ToldFrame, track: Track): boolean {
    if (track.told.has(identityOf(frame))) return false
    this.#keep(key, frame, track)
    const [oldest] = track.told
    if (track.told.size > MAX_TOLD && oldest !== undefined) track.told.delete(oldest)
    return true
  }

  #keep(key: string, frame: DataFrame, track: Track): void {
    track.seq = Math.max(track.seq, frame.seq)
    track.capturedAt = Math.max(track.capturedAt, frame.captured_at)
    if (isTold(frame)) track.told.add(identityOf(frame))
    // Move the entry to the end: the least recently updated market is evicted first.
    this.#tracks.delete(key)
    this.#tracks.set(key, track)
    if (this.#tracks.size <= MAX_TRACKS) return
    const [oldest] = this.#tracks.keys()
    if (oldest !== undefined) this.#tracks.delete(oldest)
  }
}

function isTold(frame: DataFrame): frame is ToldFrame {
  return frame.channel === 'trade' || frame.channel === 'context'
}

function identityOf(frame: ToldFrame): string {
  if (frame.type === 'context') return String(frame.received_at)
  if (frame.type === 'perp_trade') return `${frame.trade_id} ${frame.event_at}`
  const { transaction_hash, token, action, price, size, event_at, occurrence } = frame
  return [transaction_hash, token, action, price, size, event_at, occurrence].join(' ')
}

/** Missing slots before the first frame after a reconnect that could not be resumed. */
function missingBefore(frame: DataFrame, { seq, step, explainedTo }: Track): SkippedFrame | undefined {
  const known = Math.max(seq, explainedTo)
  if (frame.prev_seq !== null || frame.seq <= known + step) return undefined
  const { channel, market, sent_at } = frame
  const frames = Math.ceil((frame.seq - known) / step) - 1
  return { channel, type: 'skipped', market, from_seq: known + 1, to_seq: frame.seq - 1, frames, sent_at }
}

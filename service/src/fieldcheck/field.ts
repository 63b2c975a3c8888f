import { setTimeout as sleep } from 'node:timers/promises'
import { type RawSink, recordSocket } from '../domain/raw-record.ts'
import type { ConnectGate } from '../venues/connect-gate.ts'
import { runFeed } from '../venues/feed.ts'
import type { Closing, FeedOptions, FeedRules } from '../venues/feed-options.ts'
import { FrameRing } from '../venues/frame-ring.ts'
import { Subscriptions } from '../venues/subscriptions.ts'

/** What all parts of one run share. */
export interface Run {
  /** Aborted at the end of the run. */
  readonly signal: AbortSignal
  readonly end: () => void
  readonly startedAtMs: number
  readonly durationMs: number
  /** Everything that was received is kept here. */
  readonly raw: RawSink
  readonly counters: { frames: number; answers: number }
  /** Parts of the check that failed, so that what they check was not seen. */
  readonly problems: string[]
}

export interface FieldSocketOptions {
  readonly venue: string
  /** Names the socket in the stored frames. */
  readonly stream: string
  readonly rules: FeedRules
  readonly gate: ConnectGate
  readonly ids: readonly string[]
  readonly subscribeFrames: FeedOptions['subscribeFrames']
  readonly unsubscribeFrames: FeedOptions['unsubscribeFrames']
  readonly onText: (text: string, receivedAtMs: number) => void
  readonly onLost?: () => void
}

/** A run is short, so the heartbeat must not wait for its usual time. */
const HEARTBEATS_A_RUN = 7
const SHORTEST_HEARTBEAT_MS = 1_000
const CHECK_EVERY_MS = 20

/** A socket of the recorder, that also tells what the recorder does not need to know. */
export class FieldSocket {
  readonly subscriptions: Subscriptions
  /** Times from a ping to its answer. */
  readonly answerDelaysMs: number[] = []
  readonly notices: { text: string; atMs: number }[] = []
  readonly closings: { closing: Closing | undefined; detail: string }[] = []
  readonly refusals: string[] = []
  openings = 0
  openedAtMs: number | undefined
  heartbeatEveryMs: number | undefined
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  constructor(run: Run, options: FieldSocketOptions) {
    const { rules, venue, stream, onText } = options
    const record = recordSocket(run.raw, venue, stream)
    this.subscriptions = new Subscriptions(options.ids)
    const heartbeat = rules.heartbeat && {
      ...rules.heartbeat,
      everyMs: Math.min(
        rules.heartbeat.everyMs,
        Math.max(SHORTEST_HEARTBEAT_MS, run.durationMs / (HEARTBEATS_A_RUN + 1)),
      ),
    }
    this.heartbeatEveryMs = heartbeat?.everyMs
    this.#ended = runFeed(
      {
        rules: { ...rules, ...(heartbeat !== undefined && { heartbeat }) },
        subscriptions: this.subscriptions,
        subscribeFrames: options.subscribeFrames,
        unsubscribeFrames: options.unsubscribeFrames,
        owner: {
          opened: () => {
            this.openings++
            this.openedAtMs ??= Date.now()
          },
          frame: (text, receivedAtMs) => {
            onText(text, receivedAtMs)
            return 'data'
          },
          lost: (_cause, detail, closing) => {
            this.closings.push({ closing, detail })
            options.onLost?.()
          },
          refused: (detail) => this.refusals.push(detail),
          noticed: (text) => this.notices.push({ text, atMs: Date.now() }),
          answered: (delayMs) => this.answerDelaysMs.push(delayMs),
        },
        gate: options.gate,
        ring: new FrameRing({ ageMs: 0, bytes: 0 }),
        nowMs: () => Date.now(),
        record: (kind, body, atMs) => {
          if (kind === 'frame') run.counters.frames++
          record?.(kind, body, atMs)
        },
      },
      AbortSignal.any([run.signal, this.#stop.signal]),
    )
  }

  get wasLost(): boolean {
    return this.closings.length > 0
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }
}

/** Whether the condition came true within this time; a run that ends first ends the wait. */
export async function isSoWithin(run: Run, limitMs: number, isSo: () => boolean): Promise<boolean> {
  const deadlineMs = performance.now() + limitMs
  while (!isSo()) {
    if (performance.now() > deadlineMs || run.signal.aborted) return false
    await pause(run, CHECK_EVERY_MS)
  }
  return true
}

/** Listens for the time of the run, and until the parts that end by themselves have ended; then ends the run. */
export async function listen(run: Run, parts: readonly Promise<void>[]): Promise<void> {
  await Promise.all([pause(run, run.durationMs), ...parts])
  run.end()
}

/** Runs one part of a check; its failure does not end the others. */
export async function part(run: Run, name: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!run.signal.aborted) run.problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Ends early, without an error, when the run ends. */
export async function pause(run: Run, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: run.signal }).catch(() => {})
}

export async function untilEnd(run: Run): Promise<void> {
  await isSoWithin(run, Number.POSITIVE_INFINITY, () => false)
}

export function median(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[values.length >> 1]
}

/** `0.14 s`. */
export function seconds(ms: number | undefined): string {
  return ms === undefined ? 'unknown' : `${(ms / 1_000).toFixed(2)} s`
}

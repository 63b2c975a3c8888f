/** A time without rows, or with rows suspect. */
export interface GapSpan {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly kind: 'missing' | 'suspect'
  readonly cause: string
}

export interface StepPlaces {
  readonly intervalMs: number
  /** The range that is shown; its end is not included. */
  readonly fromMs: number
  readonly toMs: number
  readonly gaps: readonly GapSpan[]
  /** Times of the trades, in order. */
  readonly trades: readonly number[]
  /** Starts and ends of windows, in order. */
  readonly windows: readonly number[]
}

export type Step = 'slot' | 'ten-seconds' | 'minute' | 'gap' | 'trade' | 'window' | 'range'

const TEN_SECONDS_MS = 10_000
const MINUTE_MS = 60_000

/** Where a step leads, as the time of a slot within the range; the same time when there is nowhere to go. */
export function stepFrom(atMs: number, step: Step, direction: 1 | -1, places: StepPlaces): number {
  return slotTime(targetOf(atMs, step, direction, places) ?? atMs, places)
}

/** The time of the slot that was current at a time, within the range. */
export function slotTime(
  atMs: number,
  { intervalMs, fromMs, toMs }: Omit<StepPlaces, 'gaps' | 'trades' | 'windows'>,
): number {
  const first = Math.ceil(fromMs / intervalMs)
  const last = Math.max(first, Math.ceil(toMs / intervalMs) - 1)
  return Math.min(last, Math.max(first, Math.floor(atMs / intervalMs))) * intervalMs
}

function targetOf(atMs: number, step: Step, direction: 1 | -1, places: StepPlaces): number | undefined {
  switch (step) {
    case 'slot':
      return atMs + direction * places.intervalMs
    case 'ten-seconds':
      return atMs + direction * TEN_SECONDS_MS
    case 'minute':
      return atMs + direction * MINUTE_MS
    case 'range':
      return direction === 1 ? places.toMs : places.fromMs
    case 'gap':
      return neighbour(
        places.gaps.map(({ fromMs }) => fromMs),
        atMs,
        direction,
        places.intervalMs,
      )
    case 'trade':
      // The book after a trade is that of the next slot.
      return neighbour(
        places.trades.map((ms) => Math.ceil(ms / places.intervalMs) * places.intervalMs),
        atMs,
        direction,
        places.intervalMs,
      )
    case 'window':
      return neighbour(places.windows, atMs, direction, places.intervalMs)
  }
}

/** The first time after the current slot, or the last one before it. */
function neighbour(times: readonly number[], atMs: number, direction: 1 | -1, intervalMs: number): number | undefined {
  const slot = Math.floor(atMs / intervalMs)
  const slotOf = (ms: number): number => Math.floor(ms / intervalMs)
  return direction === 1 ? times.find((ms) => slotOf(ms) > slot) : times.findLast((ms) => slotOf(ms) < slot)
}

/** The gap that a time is in; one without rows before one with rows suspect. */
export function gapAt(gaps: readonly GapSpan[], atMs: number): GapSpan | undefined {
  const here = gaps.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)
  return here.find(({ kind }) => kind === 'missing') ?? here[0]
}

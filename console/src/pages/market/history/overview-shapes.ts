import type { Bar } from '@bookreel/sdk'
import type { Span } from './chosen-range.ts'

export const WIDTH = 1_000
export const HEIGHT = 84
/** Lowest part, in which the volume is drawn. */
const VOLUME_HEIGHT = 20
const MARGIN = 4

export interface OverviewShapes {
  /** Middle of the best prices, broken where there is none. */
  readonly line: string
  /** From the best bid to the best ask. */
  readonly band: string
  readonly low: number
  readonly high: number
}

export interface VolumeBar {
  readonly x: number
  readonly width: number
  readonly y: number
  readonly height: number
}

export function xOf(ms: number, { fromMs, toMs }: Span): number {
  return ((ms - fromMs) / (toMs - fromMs)) * WIDTH
}

export function msAt(share: number, { fromMs, toMs }: Span): number {
  return fromMs + Math.min(1, Math.max(0, share)) * (toMs - fromMs)
}

/** A bar without snapshots has no point: nothing is drawn over a gap. */
export function overviewShapes(bars: readonly Bar[], barMs: number, recorded: Span): OverviewShapes {
  const known = bars.filter(({ close }) => close !== null)
  const low = Math.min(...known.map(({ low: price, avg_spread: spread }) => (price ?? 1) - (spread ?? 0) / 2), 1)
  const high = Math.max(...known.map(({ high: price, avg_spread: spread }) => (price ?? 0) + (spread ?? 0) / 2), 0)
  const scale = (HEIGHT - VOLUME_HEIGHT - 2 * MARGIN) / Math.max(0.01, high - low)
  const yOf = (price: number): string => (MARGIN + (high - price) * scale).toFixed(1)
  const parts = { line: '', band: '' }
  for (const run of runsOf(bars)) {
    const points = run.map(({ start, close, avg_spread: spread }) => {
      const x = xOf(Date.parse(start) + barMs / 2, recorded).toFixed(1)
      const half = (spread ?? 0) / 2
      return {
        mid: `${x},${yOf(close ?? 0)}`,
        top: `${x},${yOf((close ?? 0) + half)}`,
        bottom: `${x},${yOf((close ?? 0) - half)}`,
      }
    })
    const [first] = points
    if (first === undefined) continue
    // A single bar is a short line.
    parts.line += `M${points.map(({ mid }) => mid).join('L')}${points.length === 1 ? 'h0.5' : ''}`
    parts.band += `M${points.map(({ top }) => top).join('L')}L${points
      .toReversed()
      .map(({ bottom }) => bottom)
      .join('L')}Z`
  }
  return { ...parts, low, high }
}

/** Neighbouring bars with a price. */
function runsOf(bars: readonly Bar[]): Bar[][] {
  const runs: Bar[][] = [[]]
  for (const bar of bars) {
    if (bar.close === null) runs.push([])
    else runs.at(-1)?.push(bar)
  }
  return runs.filter((run) => run.length > 0)
}

/** Traded shares for each length of a bar. */
export function volumeBars(
  trades: readonly { readonly traded_at: string; readonly size: number }[],
  barMs: number,
  recorded: Span,
): VolumeBar[] {
  const sums = new Map<number, number>()
  for (const { traded_at: at, size } of trades) {
    const bar = Math.floor(Date.parse(at) / barMs)
    sums.set(bar, (sums.get(bar) ?? 0) + size)
  }
  const most = Math.max(...sums.values(), 1)
  return [...sums].map(([bar, sum]) => {
    const x = xOf(bar * barMs, recorded)
    const height = (sum / most) * (VOLUME_HEIGHT - 2)
    return { x, width: Math.max(0.8, xOf((bar + 1) * barMs, recorded) - x - 0.4), y: HEIGHT - height, height }
  })
}

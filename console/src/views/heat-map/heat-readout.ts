import { centsText, sizeText } from '../../words/market-texts.ts'
import { causeName } from '../../words/proof-badges.ts'
import { columnMsOf } from './detail-levels.ts'
import type { Cross } from './draw-overlay.ts'
import type { HeatMapData } from './heat-map-data.ts'
import { sizeOfCode } from './size-code.ts'

/** What is at a place of a heat map, in words. */
export function readoutAt(
  data: HeatMapData,
  level: number,
  { atMs, row }: Cross,
  clock: (ms: number) => string,
): string {
  const form = data.levels[level]
  const ring = data.rings[level]
  if (form === undefined || ring === undefined) return ''
  const number = data.numberAt(level, atMs)
  const columnMs = columnMsOf(form)
  const time = clock(number * columnMs)
  const gap = gapAt(data, number * columnMs, (number + 1) * columnMs)
  const place = ring.placeOf(number)
  if (place === undefined || ring.expected[place] === 0) {
    const isAwaited = data.isAwaited(level, number * columnMs, (number + 1) * columnMs)
    return [time, gap ?? (isAwaited ? 'not loaded' : 'nothing recorded')].join(' · ')
  }
  const stored = ring.stored[place] ?? 0
  if (stored === 0) return [time, gap ?? 'no row is stored'].join(' · ')
  const price = centsText(form.priceFrom + row * form.priceStep)
  const cell = place * ring.rows + row
  const sizes = [
    { name: 'bid', code: ring.bids[cell] ?? 0 },
    { name: 'ask', code: ring.asks[cell] ?? 0 },
  ].filter(({ code }) => code > 0)
  const text = sizes.map(({ name, code }) => `${name} ≈ ${sizeText(sizeOfCode(code, form.scale))}`)
  const parts = [time, price, text.length === 0 ? 'no size' : text.join(', ')]
  const expected = ring.expected[place] ?? 0
  if (stored < expected) parts.push(`${stored} of ${expected} slots`)
  if (gap !== undefined) parts.push(gap)
  return parts.join(' · ')
}

/** The gap in a range of time; undefined when there is none. */
function gapAt(data: HeatMapData, fromMs: number, toMs: number): string | undefined {
  if (data.openGap !== undefined && data.openGap.fromMs < toMs) return data.openGap.text
  const [gap] = data.gapsBetween(fromMs, toMs)
  return gap === undefined ? undefined : `${gap.kind}: ${causeName(gap.cause)}`
}

/** A sentence for people who do not see the map. */
export function sentenceOf(data: HeatMapData, level: number, range: Span, clock: (ms: number) => string): string {
  const form = data.levels[level]
  const ring = data.rings[level]
  const time = `Heat map from ${clock(range.fromMs)} to ${clock(range.toMs)}.`
  const place = ring?.newest === undefined ? undefined : ring.placeOf(ring.newest)
  if (form === undefined || ring === undefined || place === undefined || ring.stored[place] === 0)
    return `${time} No book is known yet.`
  const bid = ring.bestBid[place] ?? 0
  const ask = ring.bestAsk[place] ?? 0
  const codes = ring.bids.subarray(place * ring.rows, (place + 1) * ring.rows)
  const largest = codes.reduce((best, code, row) => (code > (codes[best] ?? 0) ? row : best), 0)
  const size = sizeText(sizeOfCode(codes[largest] ?? 0, form.scale))
  const at = centsText(form.priceFrom + largest * form.priceStep)
  const { gaps, isWhole } = gapsIn(data, level, range)
  const gapWords = gaps === 0 ? 'no gap' : gaps === 1 ? 'one gap' : `${gaps} gaps`
  const where = isWhole ? 'in this time' : 'in what is loaded of this time'
  return `${time} Best bid ${centsText(bid)}, best ask ${centsText(ask)}, largest bid about ${size} at ${at}; spread ${centsText(ask - bid)}, ${gapWords} ${where}.`
}

/** Gaps that are listed and parts that are drawn as missing or in doubt without one; and whether all of it is loaded. */
function gapsIn(data: HeatMapData, level: number, range: Span): { gaps: number; isWhole: boolean } {
  const { openGap, nowMs } = data
  const toMs = Math.min(range.toMs, nowMs || range.toMs, openGap?.fromMs ?? range.toMs)
  const columns = columnsIn(data, level, { fromMs: range.fromMs, toMs })
  const unlisted = markedSpans(columns).filter((span) => data.gapsBetween(span.fromMs, span.toMs).length === 0)
  const listed = data.gapsBetween(range.fromMs, range.toMs).length + (openGap === undefined ? 0 : 1)
  const isWhole = columns.every(({ isKnown, fromMs, toMs: endMs }) => isKnown || !data.isAwaited(level, fromMs, endMs))
  return { gaps: listed + unlisted.length, isWhole }
}

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

interface ColumnState extends Span {
  readonly isKnown: boolean
  /** Drawn as missing, incomplete or in doubt. */
  readonly isMarked: boolean
}

/** Columns whose time is over. */
function columnsIn(data: HeatMapData, level: number, { fromMs, toMs }: Span): ColumnState[] {
  const ring = data.rings[level]
  const form = data.levels[level]
  if (ring === undefined || form === undefined) return []
  const columnMs = columnMsOf(form)
  const columns: ColumnState[] = []
  for (let number = data.numberAt(level, fromMs); (number + 1) * columnMs <= toMs; number++) {
    const place = ring.placeOf(number)
    const countOf = (counts: Uint16Array): number => (place === undefined ? 0 : (counts[place] ?? 0))
    const expected = countOf(ring.expected)
    const isMarked = countOf(ring.stored) < expected || countOf(ring.suspect) > 0
    columns.push({ fromMs: number * columnMs, toMs: (number + 1) * columnMs, isKnown: expected > 0, isMarked })
  }
  return columns
}

/** Neighbours together. */
function markedSpans(columns: readonly ColumnState[]): Span[] {
  const spans: Span[] = []
  for (const { isMarked, fromMs, toMs } of columns) {
    const last = spans.at(-1)
    if (!isMarked) continue
    if (last?.toMs === fromMs) spans[spans.length - 1] = { fromMs: last.fromMs, toMs }
    else spans.push({ fromMs, toMs })
  }
  return spans
}

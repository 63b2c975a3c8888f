import type { ListedTape } from './listed-tape.ts'
import type { Span, Tape, TapeContext } from './tape.ts'

export interface TapeDifferences {
  readonly trades: number
  readonly contexts: number
  /** Stored, and not what the venue told. */
  readonly wrong: readonly string[]
  /** Told by the venue, not stored, and in no gap. */
  readonly missing: readonly string[]
  readonly missingInGaps: number
}

const SECOND_MS = 1_000
/** A context of one second is sent somewhere in it, and received a little later. */
const RECEIVED_WITHIN_MS = 3 * SECOND_MS

/** What the service stored against what the venue told in the same time. */
export function compareWithVenue(told: Tape, listed: ListedTape, { fromMs, toMs }: Span): TapeDifferences {
  const inGap = (span: Span): boolean => listed.gaps.some((gap) => gap.fromMs < span.toMs && span.fromMs < gap.toMs)
  const toldTrades = new Set(told.trades.map(({ text }) => text))
  const storedTrades = new Set(listed.trades.map(({ text }) => text))
  const unstored = told.trades
    .filter(({ atMs, text }) => atMs >= fromMs && atMs < toMs && !storedTrades.has(text))
    .map(({ atMs, text }) => ({ text: `trade ${text}`, span: { fromMs: atMs, toMs: atMs + 1 } }))
  const toldContexts = Map.groupBy(told.contexts, ({ text }) => text)
  const isTold = ({ atMs, text }: TapeContext): boolean =>
    (toldContexts.get(text) ?? []).some((each) => Math.abs(each.atMs - atMs) <= RECEIVED_WITHIN_MS)
  const untold = changesOf(told.contexts)
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs - RECEIVED_WITHIN_MS)
    .filter((change) => !isStored(listed.contexts, change))
    .map(({ atMs, text }) => ({ text: `context ${text}`, span: { fromMs: atMs, toMs: atMs + SECOND_MS } }))
  const all = [...unstored, ...untold]
  return {
    trades: listed.trades.length,
    contexts: listed.contexts.length,
    wrong: [
      ...listed.trades.filter(({ text }) => !toldTrades.has(text)).map(({ text }) => `trade ${text}`),
      ...listed.contexts.filter((context) => !isTold(context)).map(({ text }) => `context ${text}`),
      ...repeatsIn(listed.trades.map(({ text }) => `trade twice ${text}`)),
    ],
    missing: all.filter(({ span }) => !inGap(span)).map(({ text }) => text),
    missingInGaps: all.filter(({ span }) => inGap(span)).length,
  }
}

/** Rows of one place that the other has not, and rows that it has twice. */
export function differencesBetween(one: Tape, other: Tape): string[] {
  const textsOf = ({ trades, contexts }: Tape): string[] => [
    ...trades.map(({ text }) => `trade ${text}`),
    ...contexts.map(({ atMs, text }) => `context ${atMs} ${text}`),
  ]
  const [ofOne, ofOther] = [textsOf(one), textsOf(other)]
  const [inOne, inOther] = [new Set(ofOne), new Set(ofOther)]
  return [
    ...ofOne.filter((text) => !inOther.has(text)).map((text) => `only in the first: ${text}`),
    ...ofOther.filter((text) => !inOne.has(text)).map((text) => `only in the second: ${text}`),
    ...repeatsIn(ofOne).map((text) => `twice in the first: ${text}`),
  ]
}

/** The contexts that differ from the one before. */
function changesOf(contexts: readonly TapeContext[]): (TapeContext & { readonly untilMs: number })[] {
  const changes = contexts.filter(({ text }, index) => index > 0 && text !== contexts[index - 1]?.text)
  return changes.map((change, index) => ({ ...change, untilMs: changes[index + 1]?.atMs ?? Number.POSITIVE_INFINITY }))
}

/** A change may be noticed later, by a repeat of the same context. */
function isStored(stored: readonly TapeContext[], change: TapeContext & { readonly untilMs: number }): boolean {
  return stored.some(
    ({ atMs, text }) =>
      text === change.text && atMs >= change.atMs - SECOND_MS && atMs < change.untilMs + RECEIVED_WITHIN_MS,
  )
}

function repeatsIn(texts: readonly string[]): string[] {
  const seen = new Set<string>()
  return texts.filter((text) => seen.size === seen.add(text).size)
}

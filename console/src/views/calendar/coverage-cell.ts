import type { CoveragePart } from '@bookreel/sdk'
import { causeText } from '../../words/gap-causes.ts'
import { lossText, shareText } from '../../words/share-text.ts'

export type Condition = CoveragePart['condition'] | 'not recorded'

export const CONDITIONS: readonly { readonly condition: Condition; readonly meaning: string }[] = [
  { condition: 'available', meaning: 'every slot has a trusted book' },
  { condition: 'degraded', meaning: 'some slots are missing or suspect' },
  { condition: 'missing', meaning: 'no slot has a book' },
  { condition: 'pending', meaning: 'not final yet' },
  { condition: 'not recorded', meaning: 'nothing was expected' },
]

/** Shares of slots missing or suspect from which a degraded cell is one step darker. */
const STEPS = [0.001, 0.01, 0.1]

/** 0 for the least loss. */
export function lossLevel({ expected_slots: expected, missing_slots: missing, suspect_slots: suspect }: CoveragePart) {
  const loss = (missing + suspect) / Math.max(1, expected)
  return STEPS.filter((step) => loss >= step).length
}

export function conditionOf(part: CoveragePart | undefined): Condition {
  return part?.condition ?? 'not recorded'
}

/** `degraded, 99.812 %, 162 slots missing, most: disconnected` */
export function partText(part: CoveragePart | undefined): string {
  if (part === undefined) return 'not recorded'
  const { condition, share, missing_slots: missing, suspect_slots: suspect } = part
  const texts = [condition, shareText(share)]
  if (missing + suspect > 0) texts.push(lossText({ missing, suspect }))
  const [most] = causesOf([part])
  if (most !== undefined) texts.push(`most: ${causeText(most.cause).name}`)
  return texts.join(', ')
}

export interface CauseSlots {
  readonly cause: string
  readonly slots: number
}

/** The slots of each cause, the most frequent first. */
export function causesOf(parts: readonly CoveragePart[]): CauseSlots[] {
  const sums = new Map<string, number>()
  for (const { causes } of parts)
    for (const [cause, slots] of Object.entries(causes)) sums.set(cause, (sums.get(cause) ?? 0) + slots)
  return [...sums].map(([cause, slots]) => ({ cause, slots })).toSorted((one, other) => other.slots - one.slots)
}

interface CoverageTotals {
  readonly counts: Readonly<Record<Condition, number>>
  /** Undefined when nothing was expected. */
  readonly share: number | undefined
  readonly missing: number
  readonly suspect: number
}

const SIX_DIGITS = 1_000_000

export function totalsOf(parts: readonly CoveragePart[]): CoverageTotals {
  const counts = { available: 0, degraded: 0, missing: 0, pending: 0, 'not recorded': 0 }
  for (const { condition } of parts) counts[condition] += 1
  const sum = (figure: 'expected_slots' | 'stored_slots' | 'missing_slots' | 'suspect_slots'): number =>
    parts.reduce((total, part) => total + part[figure], 0)
  const expected = sum('expected_slots')
  const share = Math.floor((sum('stored_slots') / expected) * SIX_DIGITS) / SIX_DIGITS
  return {
    counts,
    share: expected === 0 ? undefined : share,
    missing: sum('missing_slots'),
    suspect: sum('suspect_slots'),
  }
}

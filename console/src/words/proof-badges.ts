import type { Tone } from '../views/badge.tsx'
import { durationText } from './formats.ts'
import { causeText } from './gap-causes.ts'

export interface BadgeWords {
  readonly tone: Tone
  readonly text: string
  /** What it means, for the tooltip. */
  readonly meaning: string
}

/** What is known of the two books of a market. */
export interface BookState {
  readonly proof: 'hash' | 'sequence' | 'none'
  readonly flags: readonly string[]
  /** Age of the newest book. */
  readonly ageMs: number
  /** Why the market is in a gap; null when the cause is not known yet, undefined when it is in none. */
  readonly gapCause: string | null | undefined
}

/** Longer than the longest interval between two samples. */
const STALE_MS = 6_000

export const CLOSED: BadgeWords = { tone: 'quiet', text: 'Closed', meaning: 'The market has ended.' }

export const NO_BOOK: BadgeWords = {
  tone: 'warn',
  text: 'No recent book',
  meaning: 'No book of the last minute can be trusted.',
}

export function proofBadge({ proof, flags, ageMs, gapCause }: BookState): BadgeWords {
  if (gapCause !== undefined) return gapBadge(gapCause)
  if (ageMs >= STALE_MS) {
    const age = durationText(ageMs)
    return { tone: 'warn', text: `Stale ${age}`, meaning: `The book is ${age} old.` }
  }
  if (proof === 'none') return { tone: 'good', text: 'Fresh', meaning: 'The venue offers no proof of its books.' }
  const proved = ['up', 'down'].filter((side) => isProved(proof, flags, side)).length
  const what = proof === 'hash' ? 'the hash that the venue published' : 'all changes of the venue, by their numbers'
  if (proved === 2) return { tone: 'good', text: 'Proved', meaning: `Both books have ${what}.` }
  if (proved === 1) return { tone: 'good', text: 'Proved once', meaning: `One of the two books has ${what}.` }
  return { tone: 'warn', text: 'Unproved', meaning: `No book has ${what}.` }
}

export function causeName(cause: string | null): string {
  return cause === null ? 'cause not known yet' : causeText(cause).name
}

function gapBadge(cause: string | null): BadgeWords {
  const text = causeName(cause)
  return { tone: 'bad', text: `In a gap: ${text}`, meaning: 'No book is recorded now, so none is shown as current.' }
}

function isProved(proof: 'hash' | 'sequence', flags: readonly string[], side: string): boolean {
  return proof === 'hash' ? flags.includes(`verified_${side}`) : !flags.includes(`unverified_${side}`)
}

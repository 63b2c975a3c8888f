import type { Random } from '../random.ts'
import type { Coin } from '../spot.ts'

export type WindowLength = '5m' | '15m' | '1h' | '4h' | '1d'

export interface SeriesFacts {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly recurrence: string
  /** What the venue's catalogue says instead, for many series of crypto windows. */
  readonly wrongRecurrence?: string
}

export interface Tag {
  id: string
  label: string
  slug: string
}

export interface MarketDraft {
  slug: string
  question: string
  outcomes: readonly [string, string]
  /** The market's own label inside an event of several. */
  groupItemTitle?: string
  /** Average price of the first outcome, in (0, 1); random by default. */
  usualPrice?: number
  /** A market about where a spot price stands at the end of a window. */
  window?: { coin: Coin; length: WindowLength }
  sports?: { marketType: string; gameId: string; line?: number }
}

/** An event as a category defines it, before the world gives it ids and a state. */
export interface EventDraft {
  slug: string
  title: string
  description: string
  resolutionSource: string
  series?: SeriesFacts
  tags: readonly Tag[]
  negRisk: boolean
  /** Start of the window or of the game. */
  startMs?: number
  endMs: number
  markets: readonly MarketDraft[]
  /** Found only by its slug: no list and no search shows it. */
  isHidden?: true
}

/** Input for the events of a category; rounds 0, 1, 2… give later dates and other subjects. */
export interface Occasion {
  /** Midnight UTC of the day on which the world starts. */
  firstDayMs: number
  round: number
  draw: Random
}

export const DAY_MS = 86_400_000

/** The outcome names of every market that is not about teams or directions. */
export const YES_NO = ['Yes', 'No'] as const

export function slugify(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|\s)-(?=\d)/g, '$1neg-')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

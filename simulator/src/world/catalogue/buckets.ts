import type { Random } from '../random.ts'
import { type MarketDraft, slugify, YES_NO } from './draft.ts'

/** One Yes/No market for each of several answers of which exactly one comes true; their prices add up to one. */
export function buckets(
  eventSlug: string,
  labels: readonly string[],
  ask: (label: string) => string,
  draw: Random,
): MarketDraft[] {
  const favourite = draw.whole(0, labels.length - 1)
  const weights = labels.map((_, index) => Math.exp(-Math.abs(index - favourite) * 0.9) + 0.02)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return labels.map((label, index) => ({
    slug: `${eventSlug}-${slugify(label)}`,
    question: ask(label),
    outcomes: YES_NO,
    groupItemTitle: label,
    usualPrice: (weights[index] ?? 0) / total,
  }))
}

/** Nested strike prices: the higher, the less likely. */
export function strikes(
  eventSlug: string,
  levels: readonly number[],
  label: (level: number) => string,
  ask: (level: number) => string,
): MarketDraft[] {
  return levels.map((level, index) => ({
    slug: `${eventSlug}-${slugify(label(level))}`,
    question: ask(level),
    outcomes: YES_NO,
    groupItemTitle: label(level),
    usualPrice: 0.9 - (0.8 * index) / Math.max(1, levels.length - 1),
  }))
}

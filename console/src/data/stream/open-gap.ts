import type { GapReport } from '@bookreel/sdk'

/** The gap that lasts until the end of what is recorded, with the start of those right before it. */
export function openGapOf({
  recorded_to: end,
  gaps,
}: Pick<GapReport, 'recorded_to' | 'gaps'>): { readonly from: string; readonly cause: string | null } | undefined {
  const missing = gaps.filter(({ kind }) => kind === 'missing').toReversed()
  const last = missing.find(({ to }) => to === end)
  if (last === undefined) return undefined
  let { from } = last
  for (const gap of missing) if (gap.to === from) from = gap.from
  return { from, cause: last.cause }
}

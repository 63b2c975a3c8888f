import type { MarketDraft } from './draft.ts'

interface LadderStep {
  label: string
  suffix: string
  strike: Pick<MarketDraft, 'strikeType' | 'floorStrike' | 'capStrike'>
}

/** Markets of which one wins: shares are highest in the middle, which comes first. */
export function oneOf(steps: readonly LadderStep[], title: string, rules: (label: string) => string): MarketDraft[] {
  const middle = (steps.length - 1) / 2
  const weights = steps.map((_, index) => Math.exp(-(((index - middle) / (steps.length / 3)) ** 2)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return steps
    .map((step, index) => ({ step, share: (weights[index] ?? 0) / sum }))
    .sort((one, other) => other.share - one.share)
    .map(({ step, share }) => marketOf(step, title, rules, share))
}

/** Markets about being above rising levels: the shares fall, and that nearest to one half comes first. */
export function above(steps: readonly LadderStep[], title: string, rules: (label: string) => string): MarketDraft[] {
  return steps
    .map((step, index) => marketOf(step, title, rules, 0.96 - (0.92 * (index + 0.5)) / steps.length))
    .sort((one, other) => Math.abs(one.usualPrice - 0.5) - Math.abs(other.usualPrice - 0.5))
}

function marketOf(
  { label, suffix, strike }: LadderStep,
  title: string,
  rules: (label: string) => string,
  usualPrice: number,
): MarketDraft {
  return { suffix, title, yesSubTitle: label, rules: rules(label), ...strike, usualPrice }
}

/** `T81`, `B82.5`, `B84.5`, `T86`: below, ranges of two, and above. */
export function ranges(lowest: number, count: number, width: number, unit: string): LadderStep[] {
  const inner = Array.from({ length: count - 2 }, (_, index): LadderStep => {
    const [from, to] = [lowest + index * width, lowest + (index + 1) * width - 1]
    return {
      label: `${from}${unit} to ${to}${unit}`,
      suffix: `B${(from + to) / 2}`,
      strike: { strikeType: 'between', floorStrike: from, capStrike: to },
    }
  })
  const top = lowest + (count - 2) * width - 1
  return [
    {
      label: `${lowest - 1}${unit} or below`,
      suffix: `T${lowest}`,
      strike: { strikeType: 'less', capStrike: lowest },
    },
    ...inner,
    { label: `${top + 1}${unit} or above`, suffix: `T${top}`, strike: { strikeType: 'greater', floorStrike: top } },
  ]
}

export function levels(strikes: readonly number[], label: (strike: number) => string): LadderStep[] {
  return strikes.map((strike) => ({
    label: label(strike),
    suffix: `T${strike}`,
    strike: { strikeType: 'greater', floorStrike: strike },
  }))
}

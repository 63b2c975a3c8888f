import type { Tier } from './tier.ts'

export interface Pack {
  readonly id: string
  /** Undefined for credits only. */
  readonly tier: Tier | null
  readonly priceUsd: number
  /** With a tier: credits per month. */
  readonly credits: number
  /** How long the tier lasts; 0 without one. */
  readonly months: number
}

/** The packs on sale. */
export const PACKS: readonly Pack[] = [
  { id: 'pro_monthly', tier: 'pro', priceUsd: 17, credits: 50_000, months: 1 },
  { id: 'scale_monthly', tier: 'scale', priceUsd: 49, credits: 500_000, months: 1 },
  { id: 'enterprise_monthly', tier: 'enterprise', priceUsd: 549, credits: 5_000_000, months: 1 },
  { id: 'pro_annual', tier: 'pro', priceUsd: 126, credits: 50_000, months: 12 },
  { id: 'scale_annual', tier: 'scale', priceUsd: 360, credits: 500_000, months: 12 },
  { id: 'credits_10k', tier: null, priceUsd: 5, credits: 10_000, months: 0 },
  { id: 'credits_100k', tier: null, priceUsd: 20, credits: 100_000, months: 0 },
  { id: 'credits_500k', tier: null, priceUsd: 50, credits: 500_000, months: 0 },
]

export function packById(id: string): Pack | undefined {
  return PACKS.find((pack) => pack.id === id)
}

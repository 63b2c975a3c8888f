import { useQuery } from '@tanstack/react-query'
import { packsQuery, userTierQuery } from '../../data/queries.ts'

interface TierCategories {
  /** False while the tier is not known. */
  readonly isLocked: (category: string) => boolean
  /** The tiers that include a category: `pro, scale or enterprise`. */
  readonly tiersWith: (category: string) => string
  readonly tier: string | undefined
}

/** Which categories the tier of the account includes. */
export function useTierCategories(): TierCategories {
  const { data: packs } = useQuery(packsQuery)
  const { data: account } = useQuery(userTierQuery)
  const tiers = Object.entries(packs?.tiers ?? {})
  const included = tiers.find(([tier]) => tier === account?.tier)?.[1].categories as readonly string[] | undefined
  return {
    isLocked: (category) => included !== undefined && !included.includes(category),
    tiersWith: (category) =>
      listText(
        tiers.filter(([, limits]) => (limits.categories as readonly string[]).includes(category)).map(([tier]) => tier),
      ),
    tier: account?.tier,
  }
}

function listText(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
}

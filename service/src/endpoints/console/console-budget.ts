import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { CONSOLE_RPM, type Tier } from '../../domain/tier.ts'
import type { ConsoleBudget } from '../../stores/accounts/console-budgets.ts'

export const ConsoleBudgetReply = z.object({
  creditLimit: z.int().nullable().describe('credits that the pages may spend per calendar month; null: no limit'),
  creditsThisMonth: z.int().describe('credits that they have spent in this calendar month'),
  requestsPerMinute: z.int(),
})

/** Throws `unauthenticated` for an erased account. */
export function budgetReply(budget: ConsoleBudget | undefined, tier: Tier): z.infer<typeof ConsoleBudgetReply> {
  if (budget === undefined) throw new ApiError('unauthenticated', 'The account of this session no longer exists.')
  const { creditLimit, spentThisMonth } = budget
  return {
    creditLimit: creditLimit ?? null,
    creditsThisMonth: spentThisMonth,
    requestsPerMinute: CONSOLE_RPM[tier],
  }
}

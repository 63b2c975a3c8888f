import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'

/** From one slot of a market to the next. */
export function captureIntervalOf(category: string): number {
  const plan = CATEGORY_PLANS.find((each) => each.category === category)
  if (plan === undefined) throw new Error(`no plan for ${category}`)
  return plan.captureIntervalMs
}

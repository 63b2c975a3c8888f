import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'

/** The capture interval of a category. */
export function captureIntervalOf(category: string): number {
  const plan = CATEGORY_PLANS.find((each) => each.category === category)
  if (plan === undefined) throw new Error(`no plan for ${category}`)
  return plan.captureIntervalMs
}

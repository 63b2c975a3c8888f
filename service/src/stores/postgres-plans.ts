import { CATEGORIES, type Category } from '../domain/market.ts'
import { CATEGORY_PLANS, type CategoryPlan } from '../domain/plan.ts'
import type { Database } from './postgres-database.ts'

export type PlanChange = Partial<Omit<CategoryPlan, 'id' | 'category'> & { isEnabled: boolean }>

/** The category plans: shipped ones to begin with, and whatever an operator made of them. */
export class Plans {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Adds the plans that are missing and leaves the others as they are. */
  async seed(plans: readonly CategoryPlan[] = CATEGORY_PLANS): Promise<void> {
    const rows = plans.map((plan, rank) => ({
      id: plan.id,
      category: plan.category,
      display_name: plan.displayName,
      capture_interval_ms: plan.captureIntervalMs,
      refresh_interval_ms: plan.refreshIntervalMs,
      is_enabled: true,
      rank,
    }))
    await this.#database
      .insertInto('category_plans')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  }

  /** The enabled ones, in the order of the shipped list. */
  async list(): Promise<CategoryPlan[]> {
    const rows = await this.#database
      .selectFrom('category_plans')
      .selectAll()
      .where('is_enabled', '=', true)
      .orderBy('rank')
      .orderBy('id')
      .execute()
    return rows.map((row) => ({
      id: row.id,
      category: categoryIn(row.category),
      displayName: row.display_name,
      captureIntervalMs: row.capture_interval_ms,
      refreshIntervalMs: row.refresh_interval_ms,
    }))
  }

  /** For markets that come later; those already recorded keep their interval. False when there is no such plan. */
  async change(id: string, change: PlanChange): Promise<boolean> {
    const columns = {
      ...(change.displayName !== undefined && { display_name: change.displayName }),
      ...(change.captureIntervalMs !== undefined && { capture_interval_ms: change.captureIntervalMs }),
      ...(change.refreshIntervalMs !== undefined && { refresh_interval_ms: change.refreshIntervalMs }),
      ...(change.isEnabled !== undefined && { is_enabled: change.isEnabled }),
    }
    const { numUpdatedRows } = await this.#database
      .updateTable('category_plans')
      .set({ id, ...columns })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }
}

/** The one way from stored text back to a category. */
export function categoryIn(text: string): Category {
  const category = CATEGORIES.find((each) => each === text)
  if (category === undefined) throw new Error(`unknown category in the store: ${text}`)
  return category
}

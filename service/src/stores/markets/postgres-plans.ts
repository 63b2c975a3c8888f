import { CATEGORIES, type Category } from '../../domain/market.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import type { Database } from '../engines/postgres-database.ts'

/** Category plans for the API. The recorder takes them from its settings and needs no database. */
export class Plans {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Writes the plans to the table; a removed plan stays and is disabled. */
  async publish(plans: readonly CategoryPlan[]): Promise<void> {
    const rows = plans.map((plan, rank) => ({
      id: plan.id,
      category: plan.category,
      display_name: plan.displayName,
      capture_interval_ms: plan.captureIntervalMs,
      refresh_interval_ms: plan.refreshIntervalMs,
      is_enabled: true,
      rank,
    }))
    await this.#database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('category_plans')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((columns) => ({
            category: columns.ref('excluded.category'),
            display_name: columns.ref('excluded.display_name'),
            capture_interval_ms: columns.ref('excluded.capture_interval_ms'),
            refresh_interval_ms: columns.ref('excluded.refresh_interval_ms'),
            is_enabled: columns.ref('excluded.is_enabled'),
            rank: columns.ref('excluded.rank'),
          })),
        )
        .execute()
      await transaction
        .updateTable('category_plans')
        .set({ is_enabled: false })
        .where(
          'id',
          'not in',
          plans.map(({ id }) => id),
        )
        .execute()
    })
  }

  /** Enabled plans, in the order in which they were published. */
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
}

export function categoryIn(text: string): Category {
  const category = CATEGORIES.find((each) => each === text)
  if (category === undefined) throw new Error(`PostgreSQL has an unknown category: ${text}`)
  return category
}

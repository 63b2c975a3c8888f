import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'
import { Events } from './events.ts'
import type { SessionStore } from './sessions.ts'

/** Who changes something, and why. */
export interface OperatorDecision {
  readonly operatorId: string
  readonly operatorName: string
  readonly reason: string
}

export interface OperatorChangesDeps {
  readonly database: Database
  readonly sessions: Pick<SessionStore, 'deleteAll'>
}

/** Changes by operators in the console. Each one is written to the events of the account. */
export class OperatorChanges {
  readonly #deps: OperatorChangesDeps

  constructor(deps: OperatorChangesDeps) {
    this.#deps = deps
  }

  /** Grants nothing. False when there is no open review with this number. */
  async resolveReview(id: number, { operatorId, operatorName, reason }: OperatorDecision): Promise<boolean> {
    const { rows } = await sql<{ is_resolved: boolean }>`
      SELECT resolve_review(${id}::bigint, ${reason}, ${operatorId}::uuid, ${operatorName}) AS is_resolved
    `.execute(this.#deps.database)
    return rows[0]?.is_resolved === true
  }

  /** Returns the number of sessions that were ended. Without the event nothing is ended. */
  signOut(accountId: string, { operatorId, operatorName, reason }: OperatorDecision): Promise<number> {
    return this.#deps.database.transaction().execute(async (transaction) => {
      const detail = { operator: operatorName, operator_id: operatorId, reason }
      await new Events(transaction).note({ accountId, kind: 'sessions_ended', subject: accountId, detail })
      return this.#deps.sessions.deleteAll(accountId)
    })
  }
}

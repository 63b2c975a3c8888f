import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

/** Calls served or refused by one process. */
export interface CountedCalls {
  readonly accountId: string
  readonly keyId: string
  readonly endpoint: string
  /** `2026-11-15`, in UTC. */
  readonly day: string
  readonly calls: number
  /** Error code of refused calls; undefined for served ones. */
  readonly code?: string
}

/** A batch that is sent twice counts once. */
export interface CountedBatch {
  readonly id: string
  readonly rows: readonly CountedCalls[]
}

export interface UsageFigures {
  readonly calls: number
  readonly credits: number
}

export interface KeyUsage {
  readonly today: UsageFigures
  /** Includes today. */
  readonly last30Days: UsageFigures
}

export interface DayUsage extends UsageFigures {
  readonly day: string
  /** Undefined for charges without a key. */
  readonly keyId?: string
  readonly keyLabel?: string
  readonly endpoint: string
  /** Refused calls by error code. */
  readonly refused: Readonly<Record<string, number>>
}

/** Both days are included. */
export interface UsageFilter {
  readonly fromDay: string
  readonly toDay: string
  readonly keyId?: string | undefined
}

interface UsageRow {
  day: string
  key_id: string | null
  label: string | null
  endpoint: string
  calls: string
  credits: string
  refused: Record<string, number>
}

const DAY_MS = 86_400_000

/** Served calls, refused calls and charged credits per key, endpoint and day. */
export class Usage {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add({ id, rows }: CountedBatch): Promise<void> {
    const column = <Name extends keyof CountedCalls>(name: Name): (CountedCalls[Name] | null)[] =>
      rows.map((row) => row[name] ?? null)
    // Sorted, because processes that lock the same rows in different orders would deadlock.
    await sql`
      WITH fresh AS (
        INSERT INTO usage_batches (id) VALUES (${id}::uuid) ON CONFLICT DO NOTHING RETURNING id
      ), expired AS (
        DELETE FROM usage_batches WHERE at < now() - interval '2 days'
      ), counted AS (
        SELECT counted.* FROM fresh, unnest(
          ${column('accountId')}::uuid[], ${column('keyId')}::uuid[], ${column('endpoint')}::text[],
          ${column('day')}::date[], ${column('calls')}::bigint[], ${column('code')}::text[]
        ) AS counted (account_id, key_id, endpoint, day, calls, code)
        ORDER BY counted.account_id, counted.day, counted.key_id, counted.endpoint, counted.code
      ), refused AS (
        INSERT INTO refused_days (account_id, key_id, endpoint, day, calls, code)
        SELECT * FROM counted WHERE code IS NOT NULL
        ON CONFLICT ON CONSTRAINT refused_days_key DO UPDATE SET calls = refused_days.calls + excluded.calls
      )
      INSERT INTO usage_days (account_id, key_id, endpoint, day, calls)
      SELECT account_id, key_id, endpoint, day, calls FROM counted WHERE code IS NULL
      ON CONFLICT ON CONSTRAINT usage_days_key DO UPDATE SET calls = usage_days.calls + excluded.calls
    `.execute(this.#database)
  }

  /** Contains only keys that were used in the last 30 days. */
  async byKey(accountId: string, nowMs: number): Promise<Map<string, KeyUsage>> {
    const today = dayOf(nowMs)
    const { rows } = await sql<Record<'key_id' | 'calls_today' | 'credits_today' | 'calls' | 'credits', string>>`
      SELECT key_id, sum(calls) AS calls, sum(credits) AS credits,
        coalesce(sum(calls) FILTER (WHERE day = ${today}::date), 0) AS calls_today,
        coalesce(sum(credits) FILTER (WHERE day = ${today}::date), 0) AS credits_today
      FROM usage_days
      WHERE account_id = ${accountId}::uuid AND key_id IS NOT NULL
        AND day BETWEEN ${dayOf(nowMs - 29 * DAY_MS)}::date AND ${today}::date
      GROUP BY key_id
    `.execute(this.#database)
    return new Map(
      rows.map((row) => [
        row.key_id,
        {
          today: { calls: Number(row.calls_today), credits: Number(row.credits_today) },
          last30Days: { calls: Number(row.calls), credits: Number(row.credits) },
        },
      ]),
    )
  }

  /** Earliest day first. */
  async byDay(accountId: string, { fromDay, toDay, keyId }: UsageFilter): Promise<DayUsage[]> {
    const isAsked = sql`account_id = ${accountId}::uuid AND day BETWEEN ${fromDay}::date AND ${toDay}::date
      AND (${keyId ?? null}::uuid IS NULL OR key_id = ${keyId ?? null}::uuid)`
    const { rows } = await sql<UsageRow>`
      WITH refused AS (
        SELECT day, key_id, endpoint, jsonb_object_agg(code, calls) AS refused
        FROM refused_days WHERE ${isAsked} GROUP BY day, key_id, endpoint
      ), served AS (
        SELECT day, key_id, endpoint, calls, credits FROM usage_days WHERE ${isAsked}
      ), used AS (
        SELECT coalesce(served.day, refused.day) AS day, coalesce(served.key_id, refused.key_id) AS key_id,
          coalesce(served.endpoint, refused.endpoint) AS endpoint, coalesce(calls, 0) AS calls,
          coalesce(credits, 0) AS credits, coalesce(refused, '{}') AS refused
        FROM served FULL JOIN refused
          ON served.day = refused.day AND served.key_id = refused.key_id AND served.endpoint = refused.endpoint
      )
      SELECT to_char(used.day, 'YYYY-MM-DD') AS day, key_id, label, endpoint, calls, credits, refused
      FROM used LEFT JOIN hashless_keys AS keys ON keys.id = used.key_id
      ORDER BY used.day, keys.created_at, key_id, endpoint
    `.execute(this.#database)
    return rows.map(({ day, key_id, label, endpoint, calls, credits, refused }) => ({
      day,
      ...(key_id !== null && { keyId: key_id }),
      ...(label !== null && { keyLabel: label }),
      endpoint,
      calls: Number(calls),
      credits: Number(credits),
      refused,
    }))
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

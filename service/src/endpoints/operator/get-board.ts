import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { noticesOf } from '../../domain/notice.ts'
import { endpoint } from '../endpoint.ts'
import { type PlanFigures, planFigures } from '../platform/plan-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Notices } from '../schemas/notice.ts'
import type { Stores } from '../stores.ts'
import { rateOf, recordersOf, shardsOf, totalOf } from './board-figures.ts'
import { FOR_OPERATORS } from './operator-of.ts'

/** A part that does not answer in time is unknown; the rest of the board is still useful. */
const PART_ANSWERS_WITHIN_MS = 3_000

/** Null when no process reports that could tell. */
const Figure = z.number().nullable()

const Shards = z.object({
  venue: z.string(),
  held: z.int().describe('shards of which a recorder has the lease'),
  standby: z.int().describe('recorders that could go on with a shard'),
})

export const getBoard = endpoint({
  method: 'GET',
  path: '/operator/board',
  name: 'get_operator_board',
  group: 'Console',
  summary: 'Get what operators watch',
  description:
    'Processes report once a second; one without a report for 15 s is left out. A part that can not be read is null.',
  access: FOR_OPERATORS,
  reply: z.object({
    as_of: Instant,
    processes: z.array(z.object({ process: z.string(), roles: z.array(z.string()), started_at: Instant })),
    shards: z.array(Shards),
    recorders: z.array(
      z.object({
        process: z.string(),
        shards: z.array(Shards),
        markets_followed: z.int(),
        markets_proved: z.int().describe('followed markets whose books are proved now'),
        queued_bytes: z.int().describe('bytes that wait for NATS'),
      }),
    ),
    rates: z
      .object({ sampled_rows: Figure, stored_rows: Figure, newest_rows: Figure })
      .describe('rows per second that recorders sampled, that ClickHouse took, and that Redis took'),
    plans: z
      .array(
        z.object({
          plan: z.string(),
          active_markets: z.int(),
          recorded_now: z.int(),
          rows_per_second: z.number(),
          expected_rows_per_second: z.number(),
        }),
      )
      .nullable()
      .describe('markets with a row in the last seconds, compared with all that are active'),
    lag: z.object({
      newest_row_ms: z.int().nullable().describe('age of the newest row in Redis; null when there is none'),
      queued_bytes: Figure.describe('bytes of recorders that wait for NATS'),
      unstored_messages: Figure.describe('messages that the archive has received and not yet stored'),
      waiting_updates: Figure.describe('updates of markets that NATS has not acknowledged'),
    }),
    open_gaps: z.array(z.object({ cause: z.string(), markets: z.int(), since: Instant })).nullable(),
    dead_letters: z.object({ count: z.int(), oldest_at: Instant.nullable() }).nullable(),
    errors: z.object({
      since: Instant.nullable(),
      counters: z.array(z.object({ name: z.string(), of: z.string(), grown_by: z.number() })),
    }),
    notices: Notices,
  }),
  errors: [],

  async handle({ stores, nowMs }) {
    const heartbeats = stores.heartbeats.current(nowMs)
    const rates = stores.heartbeats.rates(nowMs)
    const toldBy = (role: string, figure: number): number | null =>
      heartbeats.some(({ roles }) => roles.includes(role)) ? figure : null
    const [plans, newestRowMs, gaps, dead] = await Promise.all([
      known(planFigures(stores, nowMs)),
      known(newestRowAge(stores, nowMs)),
      known(stores.openGaps.byCause(nowMs)),
      known(stores.deadLetters.read()),
    ])
    const sinceMs = stores.errorGrowth.sinceMs(nowMs)
    return {
      body: {
        as_of: instantOf(nowMs),
        processes: heartbeats
          .map(({ process, roles, startedAtMs }) => ({
            process,
            roles: [...roles],
            started_at: instantOf(startedAtMs),
          }))
          .sort((one, other) => (one.started_at < other.started_at ? -1 : 1)),
        shards: shardsOf(heartbeats),
        recorders: recordersOf(heartbeats).map(({ marketsFollowed, marketsTrusted, queuedBytes, shards, ...rest }) => ({
          ...rest,
          shards: [...shards],
          markets_followed: marketsFollowed,
          markets_proved: marketsTrusted,
          queued_bytes: queuedBytes,
        })),
        rates: {
          sampled_rows: toldBy('capture', rateOf(rates, 'capture_rows_total')),
          stored_rows: toldBy('archive', rateOf(rates, 'archive_rows_total')),
          newest_rows: toldBy('hot', rateOf(rates, 'hot_rows_total')),
        },
        plans: plans?.map(planOf) ?? null,
        lag: {
          newest_row_ms: newestRowMs ?? null,
          queued_bytes: toldBy('capture', totalOf(heartbeats, 'capture_queued_bytes')),
          unstored_messages: toldBy('archive', totalOf(heartbeats, 'archive_held_messages')),
          waiting_updates: toldBy('capture', totalOf(heartbeats, 'capture_market_updates_waiting')),
        },
        open_gaps: gaps?.map(({ cause, markets, sinceMs: at }) => ({ cause, markets, since: instantOf(at) })) ?? null,
        dead_letters:
          dead === undefined
            ? null
            : { count: dead.count, oldest_at: dead.oldestAtMs === undefined ? null : instantOf(dead.oldestAtMs) },
        errors: {
          since: sinceMs === undefined ? null : instantOf(sinceMs),
          counters: stores.errorGrowth.grown().map(({ name, of, grownBy }) => ({ name, of, grown_by: grownBy })),
        },
        notices: noticesOf(heartbeats),
      },
    }
  },
})

function planOf({ plan, activeMarkets, recordedNow, rowsPerSecond, expectedRowsPerSecond }: PlanFigures) {
  return {
    plan,
    active_markets: activeMarkets,
    recorded_now: recordedNow,
    rows_per_second: rowsPerSecond,
    expected_rows_per_second: expectedRowsPerSecond,
  }
}

async function newestRowAge({ newestRows }: Stores, nowMs: number): Promise<number | undefined> {
  const [newest] = await newestRows.recent(1)
  return newest === undefined ? undefined : Math.max(0, Math.round(nowMs - newest.slotAtMs))
}

/** Undefined when it fails or takes too long. */
async function known<T>(part: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController()
  const late = sleep(PART_ANSWERS_WITHIN_MS, undefined, { signal: timer.signal }).catch(() => undefined)
  return Promise.race([part.catch(() => undefined), late]).finally(() => timer.abort())
}

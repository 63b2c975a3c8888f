import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { shown } from '../../domain/value-problems.ts'
import type { DayUsage } from '../../stores/accounts/usage.ts'
import { endpoint } from '../endpoint.ts'
import { invalidParameter } from '../schemas/read-values.ts'

const MAX_DAYS = 92
const DEFAULT_DAYS = 30
const DAY_MS = 86_400_000
const GROUPS = ['day', 'key', 'endpoint'] as const
type Group = (typeof GROUPS)[number]

const Day = z.iso
  .date({ error: ({ input }) => `must be a day such as 2026-11-15, got ${shown(input)}` })
  .meta({ examples: ['2026-11-15'] })

const GroupList = z
  .string()
  .transform((text, context): readonly Group[] => {
    const names = text.split(',')
    const groups = GROUPS.filter((group) => names.includes(group))
    if (groups.length === names.length) return groups
    context.addIssue({
      code: 'custom',
      message: `must be some of ${GROUPS.join(', ')}, separated by commas, got ${shown(text)}`,
    })
    return z.NEVER
  })
  .meta({ examples: ['day,key'] })

const UsageRow = z
  .object({
    day: z.iso.date().nullable().describe('in UTC; null when the rows of all days are summed'),
    keyId: z.string().nullable().describe('null when the rows of all keys are summed, and for charges without a key'),
    keyLabel: z.string().nullable(),
    endpoint: z.string().nullable().describe('name of the operation; null when the rows of all endpoints are summed'),
    calls: z.int().describe('successful calls'),
    credits: z.int().describe('charges minus refunds'),
    refused: z
      .record(z.string(), z.int())
      .describe('calls that were refused or failed, by error code; empty when there were none'),
  })
  .meta({ id: 'UsageRow' })
type UsageRow = z.infer<typeof UsageRow>

export const getUsage = endpoint({
  method: 'GET',
  path: '/v1/usage',
  name: 'get_usage',
  group: 'Account',
  summary: 'Get calls, refused calls and charged credits by day, key and endpoint',
  description:
    'Covers all keys of the account. Credits are current and match the ledger. Calls appear after a few seconds; calls of the last seconds before a crash of the service may be missing, and no call is counted twice. Refused calls of a valid key are counted by error code; opened streams are not calls.',
  access: { by: 'key' },
  query: z.object({
    from: Day.optional().describe(`first day, in UTC; default: ${DEFAULT_DAYS} days before \`to\``),
    to: Day.optional().describe(
      `the day after the last one, not included; default: tomorrow; at most ${MAX_DAYS} days after \`from\``,
    ),
    key_id: z.uuid('must be the id of a key, as GET /v1/api-keys lists it').optional().describe('only this key'),
    group_by: GroupList.default(GROUPS).describe(
      'day, key or endpoint, separated by commas; rows are summed over the others',
    ),
  }),
  reply: z
    .object({
      from: z.iso.date(),
      to: z.iso.date().describe('not included'),
      totalCalls: z.int(),
      totalCredits: z.int(),
      totalRefused: z.int(),
      usage: z.array(UsageRow).describe('only rows with calls, credits or refused calls'),
    })
    .meta({ id: 'Usage' }),
  errors: [],
  table: {
    columns: Object.keys(UsageRow.shape),
    rows: ({ usage }) => usage,
    inRows: ['usage'],
  },

  async handle({ query, stores, caller, nowMs }) {
    if (caller === undefined) throw new ApiError('unauthenticated', 'A valid API key is needed')
    const { fromMs, toMs } = requestedDays(query, nowMs)
    const found = await stores.usage.byDay(caller.accountId, {
      fromDay: dayOf(fromMs),
      toDay: dayOf(toMs - DAY_MS),
      keyId: query.key_id,
    })
    const usage = addUp(found, query.group_by)
    const sum = (figure: 'calls' | 'credits'): number => found.reduce((total, row) => total + row[figure], 0)
    return {
      body: {
        from: dayOf(fromMs),
        to: dayOf(toMs),
        totalCalls: sum('calls'),
        totalCredits: sum('credits'),
        totalRefused: found.reduce((total, { refused }) => total + sumOf(refused), 0),
        usage,
      },
      ...(usage.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

function requestedDays({ from, to }: { from?: string | undefined; to?: string | undefined }, nowMs: number): TimeRange {
  const toMs = to === undefined ? Date.parse(dayOf(nowMs)) + DAY_MS : Date.parse(to)
  const fromMs = from === undefined ? toMs - DEFAULT_DAYS * DAY_MS : Date.parse(from)
  const days = (toMs - fromMs) / DAY_MS
  if (days >= 1 && days <= MAX_DAYS) return { fromMs, toMs }
  const given = `got ${dayOf(fromMs)} and ${dayOf(toMs)}`
  throw invalidParameter(
    'from',
    days < 1 ? `must be before to, ${given}` : `must be at most ${MAX_DAYS} days before to, ${given}`,
  )
}

function addUp(found: readonly DayUsage[], groups: readonly Group[]): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const { day, keyId = null, keyLabel = null, endpoint: name, calls, credits, refused } of found) {
    const group = {
      day: groups.includes('day') ? day : null,
      keyId: groups.includes('key') ? keyId : null,
      keyLabel: groups.includes('key') ? keyLabel : null,
      endpoint: groups.includes('endpoint') ? name : null,
    }
    const id = JSON.stringify([group.day, group.keyId, group.endpoint])
    const previous = rows.get(id)
    rows.set(id, {
      ...group,
      calls: calls + (previous?.calls ?? 0),
      credits: credits + (previous?.credits ?? 0),
      refused: added(previous?.refused ?? {}, refused),
    })
  }
  return [...rows.values()]
}

type Counts = Readonly<Record<string, number>>

function added(some: Counts, others: Counts): Record<string, number> {
  const sums: Record<string, number> = { ...some }
  for (const [code, calls] of Object.entries(others)) sums[code] = (sums[code] ?? 0) + calls
  return sums
}

function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((total, calls) => total + calls, 0)
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import type { DayUsage } from '../../stores/accounts/usage.ts'
import { endpoint } from '../endpoint.ts'
import { invalidParameter } from '../schemas/read-values.ts'

const MOST_DAYS = 92
const USUAL_DAYS = 30
const DAY_MS = 86_400_000
const GROUPS = ['day', 'key', 'endpoint'] as const
type Group = (typeof GROUPS)[number]

const Day = z.iso.date('must be a day such as 2026-11-15').meta({ examples: ['2026-11-15'] })

const GroupList = z
  .string()
  .transform((text, context): readonly Group[] => {
    const names = text.split(',')
    const groups = GROUPS.filter((group) => names.includes(group))
    if (groups.length === names.length) return groups
    context.addIssue({ code: 'custom', message: `must be some of ${GROUPS.join(', ')}, separated by commas` })
    return z.NEVER
  })
  .meta({ examples: ['day,key'] })

const UsageRow = z
  .object({
    day: z.iso.date().nullable().describe('in UTC; null when days are added up'),
    key_id: z.string().nullable().describe('null when keys are added up, and for what was charged without one'),
    key_label: z.string().nullable(),
    endpoint: z.string().nullable().describe('name of the operation; null when endpoints are added up'),
    calls: z.int().describe('answered; what was refused or failed is not counted'),
    credits: z.int().describe('charged, less what was given back'),
  })
  .meta({ id: 'UsageRow' })
type UsageRow = z.infer<typeof UsageRow>

export const getUsage = endpoint({
  method: 'GET',
  path: '/v1/usage',
  name: 'get_usage',
  group: 'Account',
  summary: 'Calls served and credits charged, by day, key and endpoint',
  description:
    'Of the whole account, whichever of its keys asks. Credits are what the ledger says, now. Calls are counted a few seconds after they were answered; those of the last seconds before a crash of ours may be missing, none is counted twice.',
  access: { by: 'key' },
  query: z.object({
    from: Day.optional().describe(`first day, in UTC; default ${USUAL_DAYS} days with the last`),
    to: Day.optional().describe(`last day, included; default today; at most ${MOST_DAYS} days in all`),
    key_id: z.uuid('must be the id of a key').optional().describe('only this key'),
    group_by: GroupList.default(GROUPS).describe('what rows are told apart by: day, key, endpoint, with commas'),
  }),
  reply: z
    .object({
      from: z.iso.date(),
      to: z.iso.date(),
      total_calls: z.int(),
      total_credits: z.int(),
      usage: z.array(UsageRow).describe('without rows of nothing'),
    })
    .meta({ id: 'Usage' }),
  errors: [],
  table: {
    columns: Object.keys(UsageRow.shape),
    rows: ({ usage }) => usage,
    envelope: ({ from, to, total_calls, total_credits }) => ({ from, to, total_calls, total_credits }),
  },

  async handle({ query, stores, caller, nowMs }) {
    if (caller === undefined) throw new ApiError('unauthenticated', 'A valid API key is needed')
    const { fromDay, toDay } = requestedDays(query, nowMs)
    const found = await stores.usage.byDay(caller.accountId, { fromDay, toDay, keyId: query.key_id })
    const usage = addUp(found, query.group_by)
    const sum = (figure: 'calls' | 'credits'): number => found.reduce((total, row) => total + row[figure], 0)
    return {
      body: { from: fromDay, to: toDay, total_calls: sum('calls'), total_credits: sum('credits'), usage },
      ...(usage.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

function requestedDays({ from, to }: { from?: string | undefined; to?: string | undefined }, nowMs: number) {
  const toDay = to ?? dayOf(nowMs)
  const fromDay = from ?? dayOf(Date.parse(toDay) - (USUAL_DAYS - 1) * DAY_MS)
  const days = (Date.parse(toDay) - Date.parse(fromDay)) / DAY_MS + 1
  if (days >= 1 && days <= MOST_DAYS) return { fromDay, toDay }
  throw invalidParameter(
    'from',
    days < 1 ? 'must not be after to' : `must be at most ${MOST_DAYS} days before to, got ${days}`,
  )
}

function addUp(found: readonly DayUsage[], groups: readonly Group[]): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const { day, keyId = null, keyLabel = null, endpoint: name, calls, credits } of found) {
    const group = {
      day: groups.includes('day') ? day : null,
      key_id: groups.includes('key') ? keyId : null,
      key_label: groups.includes('key') ? keyLabel : null,
      endpoint: groups.includes('endpoint') ? name : null,
    }
    const id = JSON.stringify([group.day, group.key_id, group.endpoint])
    const former = rows.get(id)
    rows.set(id, { ...group, calls: calls + (former?.calls ?? 0), credits: credits + (former?.credits ?? 0) })
  }
  return [...rows.values()]
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { fileIdOf } from '../../domain/day-file.ts'
import { CREDIT_KINDS, type CreditEntry as StoredEntry } from '../../stores/money/credit-history.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'

/** As long as `CreditCharger` lets an account fetch what it has bought. */
const HELD_MS = 86_400_000
const HELD_HOUR = /^export:(.+?):(\d{4}-.+)$/
/** The file of a day is bought for all times, with its corrections. */
const HELD_DAY = /^file:(.+):(\d{4}-\d{2}-\d{2})$/
const HELD_PERP_HOUR = /^perp-export:(\w+):(\w+):(\d{4}-.+)$/

const CreditEntry = z
  .object({
    id: z.int().describe('larger for later entries'),
    at: Instant,
    kind: z
      .enum(CREDIT_KINDS)
      .describe(
        'grant: monthly credits; payment: a pack; adjustment: by the operator; refund: a charge that is undone',
      ),
    credits: z.int().describe('negative for charges'),
    balanceAfter: z.int().describe('credits of the account after this entry'),
    endpoint: z.string().nullable().describe('name of the operation that was charged'),
    keyId: z.string().nullable(),
    keyLabel: z.string().nullable(),
    requestId: z.string().nullable().describe('`X-Request-Id` of the request that was charged'),
    refundOf: z.int().nullable().describe('`id` of the charge that a refund undoes'),
    downloadPath: z.string().nullable().describe('path of the file that was bought; null for other entries'),
    downloadUntil: Instant.nullable().describe(
      'until then the file can be downloaded again without paying; null: at any time, or no file',
    ),
  })
  .meta({ id: 'CreditEntry' })

const Position = z.tuple([z.int()])

export const listCredits = endpoint({
  method: 'GET',
  path: '/v1/credits',
  name: 'list_credits',
  group: 'Account',
  summary: 'List what the account got and paid, with the balance after each entry',
  description:
    'Newest first, of all keys of the account. Free retries and free downloads have no entry. The file of an hour that was bought can be downloaded again until `downloadUntil`, after a correction of its hour always; the file of a day at any time.',
  access: { by: 'key' },
  query: z.object({
    limit: wholeNumber(1, 500).default(100).describe('entries per page'),
    cursor: Cursor.optional(),
  }),
  reply: z
    .object({
      balance: z.int().describe('credits that can be spent now'),
      entries: z.array(CreditEntry),
      next_cursor: NextCursor,
    })
    .meta({ id: 'Credits' }),
  errors: [],
  table: { columns: Object.keys(CreditEntry.shape), rows: ({ entries }) => entries, inRows: ['entries'] },

  async handle({ query, stores, caller, callerContext }) {
    if (caller === undefined || callerContext === undefined)
      throw new ApiError('unauthenticated', 'A valid API key is needed')
    const list = `credits ${caller.accountId}`
    const [beforeId] = decodeCursor(query.cursor, list, Position) ?? []
    // First, because it books the monthly credits that are due.
    const { balance } = await callerContext.spendable()
    const found = await stores.creditHistory.list(caller.accountId, { limit: query.limit + 1, beforeId })
    const page = found.slice(0, query.limit)
    const last = page.at(-1)
    const next = last && found.length > page.length ? encodeCursor(list, [last.id]) : null
    return { body: { balance, entries: page.map(entryOf), next_cursor: next } }
  },
})

function entryOf(entry: StoredEntry): z.output<typeof CreditEntry> {
  const { id, atMs, kind, credits, balanceAfter, endpoint: name, keyId, keyLabel, requestId, refundOf, heldAs } = entry
  return {
    id,
    at: instantOf(atMs),
    kind,
    credits,
    balanceAfter,
    endpoint: name ?? null,
    keyId: keyId ?? null,
    keyLabel: keyLabel ?? null,
    requestId: requestId ?? null,
    refundOf: refundOf ?? null,
    downloadPath: heldAs === undefined ? null : pathOf(heldAs),
    downloadUntil: heldAs === undefined || HELD_DAY.test(heldAs) ? null : instantOf(atMs + HELD_MS),
  }
}

/** Null for something that is not fetched by a path of its own. */
function pathOf(heldAs: string): string | null {
  const [, subject, day] = HELD_DAY.exec(heldAs) ?? []
  if (subject !== undefined && day !== undefined)
    return `/v1/files/${encodeURIComponent(fileIdOf(subject, Date.parse(day), 1))}`
  const [, venue, symbol, perpHour] = HELD_PERP_HOUR.exec(heldAs) ?? []
  if (venue !== undefined) return `/v1/exchange/export?symbol=${symbol}&exchange=${venue}_perp&hour=${perpHour}`
  const [, market, hour] = HELD_HOUR.exec(heldAs) ?? []
  return market === undefined || hour === undefined
    ? null
    : `/v1/markets/${encodeURIComponent(market)}/export?hour=${hour}`
}

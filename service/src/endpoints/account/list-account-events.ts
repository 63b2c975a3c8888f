import { z } from 'zod'
import type { AccountEvent } from '../../stores/accounts/events.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { signedIn } from './signed-in.ts'

const AccountEventEntry = z
  .object({
    at: Instant,
    kind: z
      .string()
      .describe('such as `key_made`, `key_rotated`, `tier_changed`, `session_started` or `credits_charge`'),
    subject: z.string().describe('id of the key, session, account or credit entry that it happened to'),
    detail: z.record(z.string(), z.unknown()).describe('what belongs to the kind of event; never a secret'),
  })
  .meta({ id: 'AccountEvent' })

/** What an operator is called whose identity provider tells no name. */
const ADDRESS_OR_ID = /@|^[\da-f]{8}-[\da-f-]{27}$/

/** Place of the last event of the page before: its time, source (0 or 1) and number. */
const Position = z.tuple([CursorTime, z.int().max(1), z.int()])

export const listAccountEvents = endpoint({
  method: 'GET',
  path: '/v1/account/events',
  name: 'list_account_events',
  group: 'Account',
  summary: 'List what happened to the account, its keys, sessions and credits, newest first',
  description: 'Events are never changed or deleted.',
  access: { by: 'session' },
  query: z.object({
    limit: wholeNumber(1, 500).default(100).describe('events per page'),
    cursor: Cursor.optional(),
  }),
  reply: z.object({ events: z.array(AccountEventEntry), next_cursor: NextCursor }).meta({ id: 'AccountEvents' }),
  errors: [],
  table: { columns: Object.keys(AccountEventEntry.shape), rows: ({ events }) => events, inRows: ['events'] },

  async handle({ query, stores, ...request }) {
    const { accountId } = signedIn(request).user
    const list = `events ${accountId}`
    const position = decodeCursor(query.cursor, list, Position)
    const before = position && { atMs: position[0], source: position[1], number: position[2] }
    const found = await stores.events.list(accountId, query.limit + 1, before)
    const page = found.slice(0, query.limit)
    const last = found.length > page.length ? page.at(-1)?.place : undefined
    return {
      body: {
        events: page.map(({ place, kind, subject, detail }) => ({
          at: instantOf(place.atMs),
          kind,
          subject,
          detail: withoutOperator(detail),
        })),
        next_cursor: last === undefined ? null : encodeCursor(list, [last.atMs, last.source, last.number]),
      },
    }
  },
})

/** Customers learn the name of an operator, and no address or account. */
function withoutOperator(stored: AccountEvent['detail']): AccountEvent['detail'] {
  const { operator_id: _, operator, ...detail } = stored
  if (typeof operator !== 'string') return detail
  return { ...detail, operator: ADDRESS_OR_ID.test(operator) ? 'Operator' : operator }
}

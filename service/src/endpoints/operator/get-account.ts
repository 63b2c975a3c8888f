import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { signedIn } from '../account/signed-in.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { FOR_OPERATORS } from './operator-of.ts'
import { AccountEntry, accountEntry } from './search-accounts.ts'

const MOST_EVENTS = 50

export const AccountPath = z.object({ account: z.uuid() })

export const getAccount = endpoint({
  method: 'GET',
  path: '/operator/accounts/{account}',
  name: 'get_operator_account',
  group: 'Console',
  summary: 'Get the tier, credits, keys and newest events of an account',
  description: 'It becomes an event of the operator’s own account.',
  access: FOR_OPERATORS,
  params: AccountPath,
  reply: AccountEntry.extend({
    tier_ends_at: Instant.nullable(),
    keys: z.array(
      z.object({
        label: z.string(),
        preview: z.string(),
        created_at: Instant,
        last_used_at: Instant.nullable(),
        revoked_at: Instant.nullable(),
      }),
    ),
    events: z
      .array(
        z.object({
          at: Instant,
          kind: z.string(),
          subject: z.string(),
          detail: z.record(z.string(), z.unknown()),
        }),
      )
      .describe(`the newest ${MOST_EVENTS}`),
  }),
  errors: ['account_not_found'],

  async handle({ params: { account: id }, stores, ...request }) {
    const [account, [entry], keys, events] = await Promise.all([
      stores.accounts.find(id),
      stores.accountSearch.find(signedIn(request).user.accountId, id, 1),
      stores.keys.list(id),
      stores.events.list(id, MOST_EVENTS),
    ])
    // People choose their names, and a name may contain the id of another account.
    if (account === undefined || entry?.id !== account.id) throw noSuchAccount()
    return {
      body: {
        ...accountEntry(entry),
        tier_ends_at: instantOrNull(account.tierExpiresAtMs),
        keys: keys.map(({ label, preview, createdAtMs, lastUsedAtMs, revokedAtMs }) => ({
          label,
          preview,
          created_at: instantOf(createdAtMs),
          last_used_at: instantOrNull(lastUsedAtMs),
          revoked_at: instantOrNull(revokedAtMs),
        })),
        events: events.map(({ place, kind, subject, detail }) => ({
          at: instantOf(place.atMs),
          kind,
          subject,
          detail: { ...detail },
        })),
      },
    }
  },
})

export function noSuchAccount(): ApiError {
  return new ApiError('account_not_found', 'No account has this id.')
}

function instantOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : instantOf(atMs)
}

import { z } from 'zod'
import { TIERS } from '../../domain/tier.ts'
import type { FoundAccount } from '../../stores/accounts/account-search.ts'
import { signedIn } from '../account/signed-in.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { FOR_OPERATORS } from './operator-of.ts'

const MOST_ACCOUNTS = 50

export const AccountEntry = z.object({
  id: z.string(),
  name: z.string(),
  emails: z.array(z.string()),
  tier: z.enum(TIERS),
  balance: z.int().describe('credits, without monthly ones that are due and not yet added'),
  created_at: Instant,
})

export const searchAccounts = endpoint({
  method: 'GET',
  path: '/operator/accounts',
  name: 'search_operator_accounts',
  group: 'Console',
  summary: 'Find accounts by name, e-mail address, id or the preview of a key',
  description: 'The ids of the accounts that are found become an event of the operator’s own account.',
  access: FOR_OPERATORS,
  query: z.strictObject({ q: z.string().trim().min(2).max(200) }),
  reply: z.object({ accounts: z.array(AccountEntry).describe(`at most ${MOST_ACCOUNTS}, newest first`) }),
  errors: [],

  async handle({ query, stores, ...request }) {
    const found = await stores.accountSearch.find(signedIn(request).user.accountId, query.q, MOST_ACCOUNTS)
    return { body: { accounts: found.map(accountEntry) } }
  },
})

export function accountEntry({ createdAtMs, emails, ...account }: FoundAccount): z.infer<typeof AccountEntry> {
  return { ...account, emails: [...emails], created_at: instantOf(createdAtMs) }
}

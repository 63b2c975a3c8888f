import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { ApiKeyMembers, entryOf } from './api-key-entry.ts'
import { signedIn } from './signed-in.ts'

const COLUMNS = ['id', 'label', 'preview', 'scopes', 'createdAt', 'lastUsedAt', 'expiresAt', 'creditLimit']
const USAGE_COLUMNS = ['callsToday', 'creditsToday', 'callsLast30Days', 'creditsLast30Days']

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/v1/api-keys',
  name: 'list_api_keys',
  group: 'Account',
  summary: 'List the API keys of the account with their usage, oldest first',
  description: 'Includes expired keys, but not revoked ones.',
  access: { by: 'session' },
  reply: z.array(ApiKeyMembers.meta({ id: 'ApiKey' })),
  errors: [],
  table: {
    columns: [...COLUMNS, ...USAGE_COLUMNS, 'formerSecretUntil'],
    rows: (keys) =>
      keys.map(({ usage: { today, last30Days }, ...key }) => ({
        ...key,
        callsToday: today.calls,
        creditsToday: today.credits,
        callsLast30Days: last30Days.calls,
        creditsLast30Days: last30Days.credits,
      })),
  },

  async handle({ stores, nowMs, ...request }) {
    const { accountId } = signedIn(request).user
    const [keys, usage] = await Promise.all([stores.keys.list(accountId), stores.usage.byKey(accountId, nowMs)])
    return {
      body: keys.filter(({ revokedAtMs }) => revokedAtMs === undefined).map((key) => entryOf(key, usage.get(key.id))),
    }
  },
})

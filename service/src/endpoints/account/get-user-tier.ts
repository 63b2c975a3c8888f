import { z } from 'zod'
import { TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { planOf } from './plan-of.ts'
import { signedIn } from './signed-in.ts'

export const getUserTier = endpoint({
  method: 'GET',
  path: '/v1/user/tier',
  name: 'get_user_tier',
  group: 'Account',
  summary: 'The tier of the account, what it allows, and the credits',
  access: { by: 'session' },
  reply: z
    .object({
      tier: z.enum(TIERS),
      creditsRemaining: z.int().describe('what can be spent now'),
      creditsTotal: z.int().describe('what is left and what was spent in this calendar month (UTC) together'),
      rateLimitRpm: z.int().describe('requests a minute, for all keys together'),
      wsConnectionsMax: z.int().describe('WebSocket connections at once'),
      historyDepthHours: z.int().describe('how far back; 0 for no limit'),
      mcpAccess: z.enum(['read', 'full']),
      expiresAt: Instant.describe('when the tier ends; of one that doesn’t, when the month of its credits does'),
    })
    .meta({ id: 'UserTier' }),
  errors: [],

  async handle({ stores, ...request }) {
    const { accountId } = signedIn(request).user
    const { tier, limits, creditsRemaining, expiresAtMs } = await planOf(stores, accountId)
    return {
      body: {
        tier,
        creditsRemaining,
        creditsTotal: creditsRemaining + (await stores.ledger.spentThisMonth(accountId)),
        rateLimitRpm: limits.rpm,
        wsConnectionsMax: limits.wsMax,
        historyDepthHours: limits.historyHours,
        mcpAccess: limits.mcp,
        expiresAt: instantOf(expiresAtMs),
      },
    }
  },
})
